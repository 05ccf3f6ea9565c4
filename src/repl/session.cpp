#include "repl/session.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/limits.h"
#include "repl/state.h"
#include "repl/values.h"

namespace strc::repl {

State::State(Callbacks given) : callbacks(std::move(given)) {
    workbench.interrupt = callbacks.interrupt;
    workbench.colour = callbacks.colour;
    workbench.weights = callbacks.weights;
    workbench.print = [this](std::string_view text) { show(text); };
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
            failAt(input, input.begin + token.begin, input.begin + token.begin + 2,
                   "this comment has no end: '*/' is missing");
    std::erase_if(tokens, [](const Token& token) { return token.kind == TokenKind::Comment; });
    if (tokens.empty()) return;
    if (tokens[0].kind == TokenKind::Command) return command(input);
    refuseForgottenColon(input, tokens);
    if (tokens[0].is("else"))
        fail(input, "an 'else' belongs on the line of the '}' or ';' before it");
    if (isDeclaration(tokens)) {
        declare(input);
        answer->hasDeclared = true;
        return;
    }
    if (isStream(input)) return stream(input);
    refuseLooseFunction(input, tokens);
    if (isVariable(tokens, declarations)) {
        refuseRunAsValue(input, tokens);
        variables(input);
        answer->hasDeclared = true;
        return;
    }
    refuseMisspelledStream(input, tokens);
    refuseNewName(input, tokens);
    if (isStatement(tokens)) return statement(input);
    expression(input);
}

// ---------------------------------------------------------------- messages

namespace {

/// A fault in terms of what was typed; what it is about in `args`.
Message faultAt(const Input& input, base::Diag id, const std::vector<std::string>& args,
                bool colour) {
    base::SourceManager sources;
    const base::BufferId buffer = sources.add(input.name, std::string(input.typed));
    base::Diagnostics diags;
    base::Diagnostic& fault = diags.add(id, {buffer, static_cast<std::uint32_t>(input.begin),
                                             static_cast<std::uint32_t>(input.end)});
    for (const std::string& each : args) fault << each;
    return toMessage(diags.all().front(), sources, colour);
}

}  // namespace

void State::failAt(const Input& input, std::size_t begin, std::size_t end, std::string_view what) {
    const Input place{input.typed, input.name, begin, end};
    add({faultAt(place, base::Diag::PromptCommand, {std::string(what)}, callbacks.colour)});
    throw Failed();
}

void State::fail(const Input& input, std::string_view what) {
    failAt(input, input.begin, input.end, what);
}

void State::add(std::vector<Message> messages) {
    constexpr std::size_t kMostMessages = 20;
    for (Message& each : messages) {
        if (answer->messages.size() < kMostMessages)
            answer->messages.push_back(std::move(each));
        else if (each.severity == base::Severity::Error)
            ++unsaid;
    }
}

void State::remark(std::string_view text) {
    if (isQuiet) return;
    if (callbacks.isTerse)
        answer->messages.push_back({base::Severity::Note, {}, std::string(text), {}});
    else
        callbacks.show(text);
}

void State::tellUnsaid() {
    base::Diagnostic more{base::Diag::MoreErrors, base::Severity::Note, {}, {}, {}, {}, {}};
    more << static_cast<std::int64_t>(std::exchange(unsaid, 0));
    answer->messages.push_back(toMessage(more, base::SourceManager(), callbacks.colour));
}

void State::check(std::vector<Message> messages) {
    bool isFine = true;
    for (const Message& each : messages) isFine = isFine && each.severity != base::Severity::Error;
    add(std::move(messages));
    if (!isFine) throw Failed();
}

void State::give(const types::Value& value) {
    if (callbacks.wantsValues) {
        answer->type = types::toString(value.type);
        answer->value = toJson(value);
    }
    show(toText(value, callbacks.isTerse) + "\n");
}

void State::giveAll() {
    constexpr std::uint64_t kMostShown = 1000;
    constexpr std::uint64_t kMostValues = 1'000'000;
    const std::uint64_t count = results.count();
    if (count == 0) return;
    if (callbacks.wantsValues) {
        answer->type = results.typeText();
        answer->value.clear();
        for (std::uint64_t k = 0; k < count && count <= kMostValues; ++k)
            answer->value += (k == 0 ? "[" : ",") + toJson(results[k]);
        if (!answer->value.empty()) answer->value += "]";
    }
    if (callbacks.isTerse) {
        Rows rows;
        for (std::uint64_t k = 0; k < count; ++k) show(rows.add(results[k]));
        return show(rows.end());
    }
    show(toTable(results.first(kMostShown), callbacks.width));
    if (count > kMostShown) show(fmt::format("… {} more\n", count - kMostShown));
}

// ---------------------------------------------------------------- session

Session::Session(Callbacks callbacks) : state(std::make_unique<State>(std::move(callbacks))) {}
Session::~Session() = default;

void Session::setWidth(std::size_t columns) {
    state->callbacks.width = std::clamp<std::size_t>(columns, 20, 400);
}

void Session::setValues(bool wanted) { state->callbacks.wantsValues = wanted; }

void Session::setColour(bool wanted) { state->callbacks.colour = state->workbench.colour = wanted; }

Answer Session::evaluate(std::string_view text) {
    Answer answer;
    State& s = *state;
    s.answer = &answer;
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
            s.add(
                {faultAt(input, base::Diag::LimitExceeded,
                         {"the memory that this needs", std::to_string(base::Limits().totalBytes)},
                         s.callbacks.colour)});
        }
        if (isInterrupted(s.callbacks)) {
            if (!answer.isInterrupted) s.confirm("interrupted\n");
            answer.isInterrupted = true;
            answer.isFine = false;
            *s.callbacks.interrupt = false;
        }
        if (!answer.isFine || answer.isInterrupted || answer.isEnd) break;
    }
    if (s.unsaid > 0) s.tellUnsaid();
    answer.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (s.isTimed) s.show(fmt::format("{:.3f} ms\n", answer.seconds * 1e3));
    s.answer = nullptr;
    return answer;
}

}  // namespace strc::repl
