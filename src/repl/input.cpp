#include "repl/detail/input.h"

#include "session/sources.h"

namespace strc::repl {

Input partOf(const Input& input, std::size_t begin, std::size_t end) {
    Input made = input;
    while (begin < end && (input.typed[begin] == ' ' || input.typed[begin] == '\t')) ++begin;
    while (end > begin && (input.typed[end - 1] == ' ' || input.typed[end - 1] == '\t' ||
                           input.typed[end - 1] == '\r' || input.typed[end - 1] == ';'))
        --end;
    made.begin = begin;
    made.end = end;
    return made;
}

std::vector<Input> wordsOf(const Input& input) {
    std::vector<Input> words;
    std::size_t at = input.begin;
    while (at < input.end) {
        if (input.typed[at] == ' ' || input.typed[at] == '\t') {
            ++at;
            continue;
        }
        const bool isQuoted = input.typed[at] == '"';
        std::size_t end = at + 1;
        while (end < input.end && (isQuoted ? input.typed[end] != '"'
                                            : input.typed[end] != ' ' && input.typed[end] != '\t'))
            ++end;
        if (isQuoted && end < input.end) ++end;
        Input word = input;
        word.begin = at;
        word.end = end;
        words.push_back(word);
        at = end;
    }
    return words;
}

std::string plainText(const Input& word) {
    std::string_view text = word.text();
    if (text.size() > 1 && text.front() == '"' && text.back() == '"')
        text = text.substr(1, text.size() - 2);
    return session::expandHome(std::string(text));
}

}  // namespace strc::repl
