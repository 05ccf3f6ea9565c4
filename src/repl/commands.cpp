// What begins with a colon.
#include <fmt/format.h>

#include "repl/state.h"

namespace strc::repl {

void State::command(const Input& input) {
    if (input.text() == ":quit") {
        answer->isEnd = true;
        return;
    }
    fail(input, "there is no such command");
}

void State::showChange(const Running&, graph::EdgeId) {}

Running& State::present() { return *current; }

Completion Session::complete(std::string_view, std::uint32_t) const { return {}; }
std::vector<Coloured> Session::colour(std::string_view) const { return {}; }

}  // namespace strc::repl
