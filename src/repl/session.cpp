#include "repl/session.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/limits.h"
#include "base/own_stack.h"
#include "parser/fragment.h"
#include "repl/detail/commands.h"
#include "repl/detail/state.h"

namespace strc::repl {

using parser::FragmentKind;

State::State(Callbacks given) : output(std::move(given)) {
    workbench.interrupt = output.callbacks.interrupt;
    workbench.colour = output.callbacks.colour;
    workbench.weights = output.callbacks.weights;
    workbench.print = [this](std::string_view text) { output.show(text); };
}

namespace {

FragmentKind kindOf(const Input& input, const volatile bool* interrupt) {
    FragmentKind kind = FragmentKind::Expression;
    base::onOwnStack(
        [&] { kind = parser::kindOfFragment(input.text(), base::Limits().nesting, interrupt); });
    return kind;
}

}  // namespace

void State::entry(const Input& input) {
    std::vector<Token> tokens = tokenize(input.text());
    for (const Token& token : tokens)
        if (token.kind == TokenKind::Comment && token.isOpen)
            output.failAt(input, input.begin + token.begin, input.begin + token.begin + 2,
                          "this comment has no end: '*/' is missing");
    std::erase_if(tokens, [](const Token& token) { return token.kind == TokenKind::Comment; });
    if (tokens.empty()) return;
    if (tokens[0].kind == TokenKind::Command) return runCommand(*this, input);
    hints.refuseForgottenColon(input, tokens);
    if (tokens[0].is("else"))
        output.fail(input, "an 'else' belongs on the line of the '}' or ';' before it");
    const FragmentKind kind = kindOf(input, output.callbacks.interrupt);
    if (kind == FragmentKind::Declaration) {
        declarer.declare(input);
        output.answer().hasDeclared = true;
        return;
    }
    if (classifier.isStream(input)) return runner.stream(input);
    hints.refuseLooseFunction(input, tokens);
    if (kind == FragmentKind::Variables) {
        hints.refuseRunAsValue(input, tokens);
        declarer.variables(input);
        output.answer().hasDeclared = true;
        return;
    }
    hints.refuseMisspelledStream(input, tokens);
    hints.refuseNewName(input, tokens);
    if (kind == FragmentKind::Statement) return evaluator.statement(input);
    evaluator.expression(input);
}

Session::Session(Callbacks callbacks) : state(std::make_unique<State>(std::move(callbacks))) {}
Session::~Session() = default;

void Session::setWidth(std::size_t columns) {
    state->output.callbacks.width = std::clamp<std::size_t>(columns, 20, 400);
}

void Session::setValues(bool wanted) { state->output.callbacks.wantsValues = wanted; }

void Session::setColour(bool wanted) {
    state->output.callbacks.colour = state->workbench.colour = wanted;
}

Completion Session::complete(std::string_view text, std::uint32_t cursor) const {
    return state->completer.complete(text, cursor);
}

std::vector<Coloured> Session::colour(std::string_view text) const {
    return state->completer.colour(text);
}

Answer Session::evaluate(std::string_view text) {
    Answer answer;
    State& s = *state;
    s.output.begin(answer);
    const auto begin = std::chrono::steady_clock::now();
    const std::string name = fmt::format("<input {}>", ++s.inputs);
    for (const Entry& each : split(text)) {
        const Input input{text, name, each.begin, each.end};
        try {
            s.entry(input);
        } catch (const Failed&) {
            answer.isFine = false;
        } catch (const std::bad_alloc&) {
            answer.isFine = false;
            s.output.lackMemory(input);
        }
        if (s.output.isInterrupted()) {
            if (!answer.isInterrupted) s.output.confirm("interrupted\n");
            answer.isInterrupted = true;
            answer.isFine = false;
            *s.output.callbacks.interrupt = false;
        }
        if (!answer.isFine || answer.isInterrupted || answer.isEnd) break;
    }
    s.output.end();
    answer.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (s.isTimed) s.output.show(fmt::format("{:.3f} ms\n", answer.seconds * 1e3));
    return answer;
}

}  // namespace strc::repl
