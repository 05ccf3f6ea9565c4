#include "repl/detail/hints.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/spelling.h"
#include "repl/detail/commands.h"

namespace strc::repl {

namespace {

/// The command that a word without its colon means, as people know it from elsewhere.
std::string_view commandMeant(std::string_view word) {
    if (word == "exit" || word == "bye") return ":quit";
    for (const Command& each : commands())
        if (each.name.substr(1) == word) return each.name;
    return {};
}

}  // namespace

/// `help`, `help :peek`: words that are no expression and mean nothing here.
void Hints::refuseForgottenColon(const Input& input, const std::vector<Token>& tokens) const {
    const Token& first = tokens[0];
    const bool isName = first.kind == TokenKind::Word && !names.isKnown(first.text);
    const bool isLast =
        tokens.size() == 1 || tokens[1].kind != TokenKind::Operator || tokens[1].is(":");
    if (!isName || !isLast) return;
    const std::string_view meant = commandMeant(first.text);
    if (meant.empty()) return;
    output.failAt(input, input.begin + first.begin, input.begin + first.end,
                  fmt::format("commands begin with a colon: did you mean '{}'?", meant));
}

/// `int square(int x) { … }`: functions have no place of their own in the language.
void Hints::refuseLooseFunction(const Input& input, const std::vector<Token>& tokens) const {
    const bool isHead = tokens.size() > 4 && tokens[1].kind == TokenKind::Word &&
                        (tokens[0].kind == TokenKind::Type || tokens[0].kind == TokenKind::Word) &&
                        tokens[2].is("(");
    const bool hasBody = isHead && std::any_of(tokens.begin(), tokens.end(),
                                               [](const Token& token) { return token.is("{"); });
    if (!hasBody) return;
    output.failAt(
        input, input.begin + tokens[0].begin, input.begin + tokens[1].end,
        fmt::format("a function belongs to a package: 'helper Name {{ {} {}(…) {{ … }} }}' "
                    "declares it, and Name.{}(…) calls it",
                    tokens[0].text, tokens[1].text, tokens[1].text));
}

/// `int[3] w = take 3 Ramp()`: a run is no value.
void Hints::refuseRunAsValue(const Input& input, const std::vector<Token>& tokens) const {
    for (std::size_t k = 1; k + 1 < tokens.size(); ++k)
        if (tokens[k].is("=") && tokens[k + 1].is("take"))
            output.failAt(input, input.begin + tokens[k + 1].begin, input.end,
                          fmt::format("items come into a variable by '->': '{} -> {}'",
                                      input.typed.substr(input.begin + tokens[k + 1].begin,
                                                         tokens.back().end - tokens[k + 1].begin),
                                      tokens[k - 1].text));
}

/// `s = Rmap() | Print()`, `Rmap()`: nothing is called so, but a stream nearly is.
void Hints::refuseMisspelledStream(const Input& input, const std::vector<Token>& tokens) const {
    const bool isAssignment = tokens.size() > 2 && tokens[1].is("=");
    const Token& first = tokens[isAssignment ? 2 : 0];
    const std::size_t after = isAssignment ? 3 : 1;
    const bool isAlone = after >= tokens.size() || tokens[after].is("(") || tokens[after].is("|") ||
                         tokens[after].is("<");
    const bool isPlain = first.kind == TokenKind::Word && isAlone && !names.isKnown(first.text) &&
                         names.kindOf(first.text) == "name";
    if (!isPlain) return;
    const std::vector<Candidate> known = completer.namesFrom(first.text.substr(0, 1));
    const std::vector<std::string_view> library = workbench.streams().declared();
    base::SpellingSearch search(first.text);
    for (const Candidate& each : known) search.consider(each.text);
    for (const Declaration* each : declarations.all()) search.consider(each->name);
    for (std::string_view each : library) search.consider(each);
    if (search.best().empty() || !names.isStream(search.best())) return;
    output.failAt(
        input, input.begin + first.begin, input.begin + first.end,
        fmt::format("there is no stream '{}'; did you mean '{}'?", first.text, search.best()));
}

/// `x = 5` of nothing that is known: a variable is declared with its type.
void Hints::refuseNewName(const Input& input, const std::vector<Token>& tokens) const {
    const bool isAssignment =
        tokens.size() > 2 && tokens[0].kind == TokenKind::Word && tokens[1].is("=");
    if (!isAssignment || names.isKnown(tokens[0].text)) return;
    const Input value{input.typed, input.name, input.begin + tokens[2].begin, input.end};
    const std::string type = evaluator.typeOf(value);
    const bool isType = type != "void" && type != "String" && type.find('?') == std::string::npos;
    output.failAt(input, input.begin + tokens[0].begin, input.begin + tokens[0].end,
                  fmt::format("'{}' is not declared yet{}", tokens[0].text,
                              isType ? fmt::format(": '{} {} = {}' declares it", type,
                                                   tokens[0].text, value.text())
                                     : std::string()));
}

}  // namespace strc::repl
