// Completion at the cursor, and the words of a text for highlighting.
#include <algorithm>
#include <filesystem>
#include <system_error>

#include "repl/commands.h"
#include "types/builtin_streams.h"
#include "types/tensor.h"

namespace strc::repl {

namespace {

constexpr std::size_t kMostCandidates = 200;

constexpr std::string_view kWords[] = {
    "add",    "body",    "bit",       "boolean",  "break",      "complex", "continue",
    "do",     "double",  "duplicate", "else",     "enqueue",    "false",   "feedbackloop",
    "filter", "float",   "float2",    "float3",   "float4",     "for",     "handler",
    "helper", "if",      "init",      "int",      "iter",       "join",    "loop",
    "native", "peek",    "pi",        "pipeline", "pop",        "portal",  "prework",
    "print",  "println", "push",      "return",   "roundrobin", "split",   "splitjoin",
    "static", "struct",  "take",      "to",       "true",       "void",    "while",
    "work"};
constexpr std::string_view kFunctions[] = {"abs", "acos", "asin", "atan",   "atan2", "ceil",
                                           "cos", "cosh", "exp",  "floor",  "log",   "log10",
                                           "max", "min",  "pow",  "random", "rint",  "round",
                                           "sin", "sinh", "sqrt", "tan",    "tanh"};

bool isTensorFunction(std::string_view word) {
    const types::TensorFn found = types::findTensorFn(word);
    return found != types::TensorFn::Count &&
           types::info(found).form != types::TensorForm::Operator;
}

/// Paths that go on as `begun` does; folders end in '/'.
void addFiles(std::string_view begun, std::vector<Candidate>& to) {
    namespace fs = std::filesystem;
    const std::size_t slash = begun.rfind('/');
    const std::string folder(slash == begun.npos ? "" : begun.substr(0, slash + 1));
    const std::string_view start = slash == begun.npos ? begun : begun.substr(slash + 1);
    std::error_code error;
    for (fs::directory_iterator at(folder.empty() ? "." : folder, error), end; !error && at != end;
         at.increment(error)) {
        std::string name = at->path().filename().string();
        if (!name.starts_with(start) || (name.starts_with('.') && start.empty())) continue;
        std::error_code unknown;
        const bool isFolder = at->is_directory(unknown);
        to.push_back({folder + name + (isFolder ? "/" : ""), "file", isFolder ? "folder" : ""});
    }
}

/// Where no quote has been opened, names with spaces need them; a folder goes on inside of its quotes.
void quote(std::vector<Candidate>& paths) {
    for (Candidate& each : paths)
        if (each.text.find_first_of(" \t") != std::string::npos)
            each.text = '"' + each.text + (each.text.ends_with('/') ? "" : "\"");
}

/// `owner.begun` or `owner.` at the end: the two words; empty if it does not end so.
std::pair<std::string_view, std::string_view> memberAt(const std::vector<Token>& tokens,
                                                       std::uint32_t end) {
    std::size_t count = tokens.size();
    if (count == 0 || tokens.back().end != end) return {};
    std::string_view begun;
    if (tokens.back().kind == TokenKind::Word) begun = tokens[--count].text;
    const bool isMember =
        count > 1 && tokens[count - 1].is(".") && tokens[count - 2].kind == TokenKind::Word;
    if (!isMember) return {};
    return {tokens[count - 2].text, begun};
}

}  // namespace

/// Fields of a variable that is a struct, functions of a package.
void State::addMembers(std::string_view owner, std::string_view begun,
                       std::vector<Candidate>& to) const {
    const auto variable = declarations.variables.find(owner);
    const bool isVariable = variable != declarations.variables.end();
    const Declaration* known =
        isVariable ? declarations.find(variable->second.type) : declarations.find(owner);
    if (!known || known->isStream()) return;
    const std::vector<Token> tokens = tokenize(known->text);
    int depth = 0;
    for (std::size_t k = 0; k + 1 < tokens.size(); ++k) {
        if (tokens[k].is("{") || tokens[k].is("(")) ++depth;
        if (tokens[k].is("}") || tokens[k].is(")")) --depth;
        const Token& next = tokens[k + 1];
        const bool isName =
            isVariable ? next.is(";") || next.is(",") || next.is("=") : next.is("(");
        if (depth == 1 && isName && tokens[k].kind == TokenKind::Word &&
            tokens[k].text.starts_with(begun))
            to.push_back({std::string(tokens[k].text), isVariable ? "field" : "function", ""});
    }
}

void State::addNames(std::string_view begun, std::vector<Candidate>& to) const {
    auto add = [&](std::string_view name, const char* kind, std::string about) {
        if (name.starts_with(begun)) to.push_back({std::string(name), kind, std::move(about)});
    };
    for (const auto& [name, running] : instances) add(name, "instance", running->signature());
    for (const auto& [name, variable] : declarations.variables)
        add(name, "variable", variable.type);
    for (const Declaration* each : declarations.all())
        if (each->name.starts_with(begun))
            add(each->name,
                each->isStream()         ? "stream"
                : each->kind == "struct" ? "struct"
                                         : "function",
                each->head);
    // Everything would be too much where nothing has been typed yet.
    if (begun.empty()) return;
    for (std::string_view name : workbench.streams().declared())
        if (name.starts_with(begun) && !declarations.find(name)) add(name, "stream", headOf(name));
    for (const auto& info : types::builtinStreams())
        if (!info.name.empty()) add(info.name, "stream", headOf(info.name));
    for (std::string_view word : kWords) add(word, isPrimitiveType(word) ? "type" : "keyword", {});
    for (std::string_view word : kFunctions) add(word, "function", {});
    for (std::size_t k = 0; k < static_cast<std::size_t>(types::TensorFn::Count); ++k)
        if (const types::TensorFnInfo& row = types::info(static_cast<types::TensorFn>(k));
            row.form != types::TensorForm::Operator)
            add(row.name, "function", {});
}

/// Adds the candidates for the arguments of a command; false: they are those of any expression.
bool State::addArguments(std::string_view command, std::string_view begun,
                         std::vector<Candidate>& to) const {
    const Command* found = findCommand(command);
    if (!found) return false;
    auto add = [&](std::string_view text, const char* kind) {
        if (text.starts_with(begun)) to.push_back({std::string(text), kind, ""});
    };
    const Running* stream = current && current->live ? current.get() : nullptr;
    if (found->name == ":engine") {
        for (std::string_view word : {"interpret", "jit"}) add(word, "keyword");
    } else if (found->name == ":time") {
        for (std::string_view word : {"on", "off"}) add(word, "keyword");
    } else if (found->name == ":help") {
        for (const Command& each : commands()) add(each.name, "command");
        for (std::string_view topic : helpTopics()) add(topic, "keyword");
    } else if (found->name == ":break") {
        for (graph::NodeId id = 0; stream && id < stream->graph().nodes.size(); ++id)
            add(stream->nameOf(id), "filter");
    } else if (found->name == ":peek" || found->name == ":watch" || found->name == ":drop") {
        for (graph::EdgeId id = 0; stream && id < stream->graph().edges.size(); ++id)
            add(stream->nameOfEdge(id), "channel");
    } else {
        return false;
    }
    return true;
}

Completion Session::complete(std::string_view text, std::uint32_t cursor) const {
    text = text.substr(0, cursor);
    const std::vector<Token> tokens = tokenize(text);
    Completion found{cursor, cursor, {}};
    const std::size_t line = text.rfind('\n') == text.npos ? 0 : text.rfind('\n') + 1;
    const std::string_view present = text.substr(line);
    const std::size_t blank = present.starts_with(':') ? present.find(' ') : present.npos;
    const std::string_view argument =
        blank == present.npos
            ? std::string_view()
            : present.substr(std::min(present.find_first_not_of(' ', blank), present.size()));
    const Token* last = tokens.empty() ? nullptr : &tokens.back();
    if (last && last->isOpen && last->kind == TokenKind::String) {
        found.begin = last->begin + 1;
        addFiles(text.substr(found.begin), found.candidates);
    } else if (last && last->kind == TokenKind::Command && last->end == cursor) {
        found.begin = last->begin;
        for (const Command& each : commands())
            if (each.name.starts_with(last->text))
                found.candidates.push_back(
                    {std::string(each.name), "command", std::string(each.about)});
    } else if (blank != present.npos &&
               state->addArguments(present.substr(0, blank), argument, found.candidates)) {
        found.begin = cursor - static_cast<std::uint32_t>(argument.size());
    } else if (const auto space = present.rfind(' ');
               space != present.npos &&
               (present.starts_with(":load") || present.starts_with(":save") ||
                present.starts_with(":compile") || present.rfind("> ") + 1 == space)) {
        found.begin = static_cast<std::uint32_t>(line + space + 1);
        addFiles(present.substr(space + 1), found.candidates);
        quote(found.candidates);
    } else if (const auto [owner, begun] = memberAt(tokens, cursor); !owner.empty()) {
        found.begin = cursor - static_cast<std::uint32_t>(begun.size());
        state->addMembers(owner, begun, found.candidates);
    } else if (last && last->end == cursor &&
               (last->kind == TokenKind::Word || last->kind == TokenKind::Keyword ||
                last->kind == TokenKind::Type)) {
        found.begin = last->begin;
        state->addNames(last->text, found.candidates);
    } else if (!last || last->kind != TokenKind::Comment) {
        state->addNames({}, found.candidates);
    }
    std::sort(found.candidates.begin(), found.candidates.end(),
              [](const Candidate& a, const Candidate& b) { return a.text < b.text; });
    const auto same =
        std::unique(found.candidates.begin(), found.candidates.end(),
                    [](const Candidate& a, const Candidate& b) { return a.text == b.text; });
    found.candidates.erase(same, found.candidates.end());
    if (found.candidates.size() > kMostCandidates) found.candidates.resize(kMostCandidates);
    return found;
}

std::string State::meaningOf(std::string_view word) const {
    if (instances.contains(word)) return "instance";
    if (declarations.variables.contains(word)) return "variable";
    if (const Declaration* known = declarations.find(word))
        return known->isStream() ? "stream" : known->kind == "struct" ? "struct" : "function";
    if (isStreamName(word)) return "stream";
    if (std::find(std::begin(kFunctions), std::end(kFunctions), word) != std::end(kFunctions) ||
        isTensorFunction(word) || word == "println" || word == "print")
        return "function";
    return "name";
}

std::vector<Coloured> Session::colour(std::string_view text) const {
    std::vector<Coloured> list;
    for (const Token& token : tokenize(text)) {
        std::string kind;
        switch (token.kind) {
            case TokenKind::Word: kind = state->meaningOf(token.text); break;
            case TokenKind::Keyword: kind = "keyword"; break;
            case TokenKind::Type: kind = "type"; break;
            case TokenKind::Number: kind = "number"; break;
            case TokenKind::String: kind = "string"; break;
            case TokenKind::Comment: kind = "comment"; break;
            case TokenKind::Operator: kind = "operator"; break;
            case TokenKind::Command: kind = "command"; break;
        }
        list.push_back({token.begin, token.end, std::move(kind)});
    }
    return list;
}

}  // namespace strc::repl
