#include "repl/session.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "repl/detail/commands.h"
#include "repl/detail/state.h"

namespace strc::repl {

State::State(Callbacks given) : output(std::move(given)) {
    workbench.interrupt = output.callbacks.interrupt;
    workbench.colour = output.callbacks.colour;
    workbench.weights = output.callbacks.weights;
    workbench.print = [this](std::string_view text) { output.show(text); };
}

namespace {

/// `int n = 3`, `P p`, `float[4] a`: a type, then a name.
bool isVariable(const std::vector<Token>& tokens, const Declarations& known) {
    if (tokens.empty()) return false;
    const Token& first = tokens[0];
    const Declaration* structure = known.find(first.text);
    const bool isTensor =
        first.is("tensor") && tokens.size() > 1 && (tokens[1].is("<") || tokens[1].is("["));
    const bool isType = first.kind == TokenKind::Type || isTensor ||
                        (first.kind == TokenKind::Word && structure && structure->kind == "struct");
    const bool isPair =
        first.kind == TokenKind::Word && tokens.size() > 1 && tokens[1].kind == TokenKind::Word;
    if (!isType) return isPair;
    int depth = 0;
    for (std::size_t k = 1; k < tokens.size(); ++k) {
        const bool isEnd = tokens[k].is("]") || tokens[k].is(">");
        if (tokens[k].is("[") || tokens[k].is("<")) ++depth;
        if (isEnd) --depth;
        if (depth == 0 && !isEnd) return tokens[k].kind == TokenKind::Word;
    }
    return false;
}

bool isDeclaration(const std::vector<Token>& tokens) {
    for (const char* word : {"struct", "helper", "native", "static", "global"})
        if (tokens[0].is(word)) return true;
    for (std::size_t k = 0; k + 1 < tokens.size() && !tokens[k].is("{"); ++k) {
        const bool isKind = tokens[k].is("filter") || tokens[k].is("pipeline") ||
                            tokens[k].is("splitjoin") || tokens[k].is("feedbackloop");
        if (isKind) return mayNameStream(tokens[k + 1]);
    }
    return false;
}

bool isStatement(const std::vector<Token>& tokens) {
    for (const char* word : {"if", "for", "while", "do", "{", "println", "print", "++", "--"})
        if (tokens[0].is(word)) return true;
    int depth = 0;
    for (const Token& token : tokens) {
        if (token.is("(") || token.is("[")) ++depth;
        if (token.is(")") || token.is("]")) --depth;
        if (depth > 0 || token.kind != TokenKind::Operator) continue;
        for (const char* sign :
             {"=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^=", "++", "--"})
            if (token.is(sign)) return true;
    }
    return false;
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
    if (isDeclaration(tokens)) {
        declarer.declare(input);
        output.answer().hasDeclared = true;
        return;
    }
    if (classifier.isStream(input)) return runner.stream(input);
    hints.refuseLooseFunction(input, tokens);
    if (isVariable(tokens, declarations)) {
        hints.refuseRunAsValue(input, tokens);
        declarer.variables(input);
        output.answer().hasDeclared = true;
        return;
    }
    hints.refuseMisspelledStream(input, tokens);
    hints.refuseNewName(input, tokens);
    if (isStatement(tokens)) return evaluator.statement(input);
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
