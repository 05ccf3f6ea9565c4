#include "repl/lines.h"

#include <istream>
#include <optional>
#include <ostream>
#include <utility>

namespace strc::repl {

namespace {

class Reader {
public:
    Reader(const Terminal& where, Callbacks callbacks)
        : terminal(where), session(withoutValues(callbacks)) {}

    bool run(const std::vector<std::string>& files) {
        for (const std::string& file : files) evaluate(":load \"" + file + "\"");
        std::string text;
        std::string line;
        while (!isOver && next(line, text)) {
            text += line + "\n";
            const bool isBlank = line.find_first_not_of(" \t\r") == std::string::npos;
            // At a prompt an empty line ends what cannot be ended otherwise.
            if (!isComplete(text) && !(terminal.hasPrompt && isBlank)) continue;
            if (elseFollows(text)) continue;
            evaluate(text);
            text.clear();
        }
        if (!isOver && !text.empty()) evaluate(text);
        if (terminal.hasPrompt) terminal.out << std::flush;
        return terminal.hasPrompt || isFine;
    }

private:
    static Callbacks withoutValues(Callbacks& callbacks) {
        callbacks.wantsValues = false;
        return std::move(callbacks);
    }
    bool isEnded() const { return terminal.ended && *terminal.ended; }

    /// Does a line that begins with `else` follow? Only input that is there already counts, so that a complete `if` runs at once.
    bool elseFollows(const std::string& text) {
        const std::vector<Entry> entries = split(text);
        if (entries.empty() || ahead || !terminal.hasMore) return false;
        const std::vector<Token> last =
            tokenize(std::string_view(text).substr(entries.back().begin));
        std::string line;
        if (!last.front().is("if") || !terminal.hasMore() || !std::getline(terminal.in, line))
            return false;
        const std::vector<Token> next = tokenize(line);
        const bool isElse = !next.empty() && next.front().is("else");
        ahead = std::move(line);
        return isElse;
    }

    /// One more line of the entry that `text` has the beginning of. An interrupt drops that.
    bool next(std::string& line, std::string& text) {
        if (terminal.interrupt) *terminal.interrupt = false;
        if (ahead && !isEnded()) {
            line = *std::exchange(ahead, std::nullopt);
            return true;
        }
        while (!isEnded()) {
            if (terminal.hasPrompt)
                terminal.out << (text.empty() ? "strc> " : "...> ") << std::flush;
            const bool isThere = !terminal.wait || terminal.wait();
            if (isThere && !std::getline(terminal.in, line)) break;
            if (!terminal.interrupt || !*terminal.interrupt) {
                if (isThere) return true;
                continue;
            }
            *terminal.interrupt = false;
            text.clear();
            if (isThere && !isEnded()) return true;
            if (terminal.hasPrompt) terminal.out << "\n";
        }
        isOver = isOver || isEnded();
        return false;
    }

    void evaluate(const std::string& text) {
        if (terminal.interrupt) *terminal.interrupt = false;
        if (isEnded()) return;
        const Answer answer = session.evaluate(text);
        terminal.out << std::flush;
        for (const Message& each : answer.messages) terminal.err << each.text;
        terminal.err << std::flush;
        isFine = isFine && answer.isFine;
        isOver = answer.isEnd || isEnded();
    }

    const Terminal& terminal;
    std::optional<std::string> ahead;  ///< a line that has been read already
    Session session;
    bool isFine = true;
    bool isOver = false;
};

}  // namespace

bool readLines(const Terminal& terminal, Callbacks callbacks,
               const std::vector<std::string>& files) {
    return Reader(terminal, std::move(callbacks)).run(files);
}

}  // namespace strc::repl
