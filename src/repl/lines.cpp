#include "repl/lines.h"

#include <istream>
#include <ostream>

namespace strc::repl {

namespace {

class Reader {
public:
    Reader(const Terminal& where, World world) : terminal(where), session(std::move(world)) {}

    bool run(const std::vector<std::string>& files) {
        for (const std::string& file : files) evaluate(":load " + file);
        std::string text;
        std::string line;
        while (!isOver && next(line, !text.empty())) {
            text += line + "\n";
            const bool isBlank = line.find_first_not_of(" \t\r") == std::string::npos;
            // At a prompt an empty line ends what cannot be ended otherwise.
            if (!isComplete(text) && !(terminal.hasPrompt && isBlank)) continue;
            evaluate(text);
            text.clear();
        }
        if (!isOver && !text.empty()) evaluate(text);
        if (terminal.hasPrompt) terminal.out << std::flush;
        return terminal.hasPrompt || isFine;
    }

private:
    bool next(std::string& line, bool goesOn) {
        if (terminal.hasPrompt) terminal.out << (goesOn ? "...> " : "strc> ") << std::flush;
        return static_cast<bool>(std::getline(terminal.in, line));
    }

    void evaluate(const std::string& text) {
        if (terminal.interrupt) *terminal.interrupt = false;
        const Answer answer = session.evaluate(text);
        terminal.out << std::flush;
        for (const Message& each : answer.messages) terminal.err << each.text;
        terminal.err << std::flush;
        isFine = isFine && answer.isFine;
        isOver = answer.isEnd;
    }

    const Terminal& terminal;
    Session session;
    bool isFine = true;
    bool isOver = false;
};

}  // namespace

bool readLines(const Terminal& terminal, World world, const std::vector<std::string>& files) {
    return Reader(terminal, std::move(world)).run(files);
}

}  // namespace strc::repl
