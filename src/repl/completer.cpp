#include "repl/detail/completer.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "parser/lexemes.h"
#include "repl/detail/commands.h"
#include "repl/detail/node_names.h"
#include "types/builtin_streams.h"

namespace strc::repl {

namespace {

constexpr std::size_t kMostCandidates = 200;

/// Words of the prompt and of some places of the language.
constexpr std::string_view kMoreWords[] = {"global", "iter", "print", "println", "take"};
/// Keywords that may stand nowhere.
constexpr std::string_view kReserved[] = {"case", "default", "switch", "template"};

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
std::vector<Candidate> Completer::membersOf(std::string_view owner, std::string_view begun) const {
    std::vector<Candidate> found;
    const auto variable = declarations.variables.find(owner);
    const bool isVariable = variable != declarations.variables.end();
    const Declaration* known =
        isVariable ? declarations.find(variable->second.type) : declarations.find(owner);
    if (!known || known->isStream()) return found;
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
            found.push_back({std::string(tokens[k].text), isVariable ? "field" : "function", ""});
    }
    return found;
}

std::vector<Candidate> Completer::namesFrom(std::string_view begun) const {
    std::vector<Candidate> found;
    auto add = [&](std::string_view name, const char* kind, std::string about) {
        if (name.starts_with(begun)) found.push_back({std::string(name), kind, std::move(about)});
    };
    for (const auto& [name, running] : streams.named()) add(name, "instance", running->signature());
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
    if (begun.empty()) return found;
    for (std::string_view name : workbench.streams().declared())
        if (name.starts_with(begun) && !declarations.find(name))
            add(name, "stream", names.headOf(name));
    for (const auto& info : types::builtinStreams())
        if (!info.name.empty()) add(info.name, "stream", names.headOf(info.name));
    for (std::string_view word : parser::keywords())
        if (std::find(std::begin(kReserved), std::end(kReserved), word) == std::end(kReserved))
            add(word, isPrimitiveType(word) ? "type" : "keyword", {});
    for (std::string_view word : kMoreWords) add(word, "keyword", {});
    for (std::string_view word : functionNames()) add(word, "function", {});
    return found;
}

/// The text up to the cursor, and what the prompt sees in it.
struct Completer::Cursor {
    explicit Cursor(std::string_view before) : text(before), tokens(tokenize(before)) {
        line = text.rfind('\n') == text.npos ? 0 : text.rfind('\n') + 1;
        const std::string_view present = text.substr(line);
        const std::size_t blank = present.starts_with(':') ? present.find(' ') : present.npos;
        if (blank == present.npos) return;
        command = present.substr(0, blank);
        argument = present.substr(std::min(present.find_first_not_of(' ', blank), present.size()));
    }

    const Token* last() const { return tokens.empty() ? nullptr : &tokens.back(); }
    std::uint32_t place() const { return static_cast<std::uint32_t>(text.size()); }
    /// Is the last token of this kind, and touches the cursor?
    bool isBehind(TokenKind kind) const {
        return last() && last()->kind == kind && last()->end == place();
    }
    /// The beginning of a file's name, where a command wants one; none elsewhere.
    std::optional<std::string_view> file() const {
        const std::string_view present = text.substr(line);
        const std::size_t space = present.rfind(' ');
        if (space == present.npos) return std::nullopt;
        const bool isWanted = present.starts_with(":load") || present.starts_with(":save") ||
                              present.starts_with(":compile") || present.rfind("> ") + 1 == space;
        return isWanted ? std::optional(present.substr(space + 1)) : std::nullopt;
    }

    std::string_view text;
    std::vector<Token> tokens;
    std::size_t line = 0;  ///< where the last one begins
    std::string_view command;  ///< ":peek", if something stands behind it
    std::string_view argument;
};

/// Finds the arguments of a command; false: they are those of any expression.
bool Completer::findArguments(const Cursor& at, Completion& to) const {
    const Command* found = at.command.empty() ? nullptr : findCommand(at.command);
    if (!found) return false;
    auto add = [&](std::string_view text, const char* kind) {
        if (text.starts_with(at.argument)) to.candidates.push_back({std::string(text), kind, ""});
    };
    const bool isShown = streams.current() && streams.current()->live;
    const graph::Graph nothing;
    const graph::Graph& graph = isShown ? streams.current()->graph() : nothing;
    if (found->name == ":engine") {
        for (std::string_view word : {"interpret", "jit"}) add(word, "keyword");
    } else if (found->name == ":time") {
        for (std::string_view word : {"on", "off"}) add(word, "keyword");
    } else if (found->name == ":help") {
        for (const Command& each : commands()) add(each.name, "command");
        for (std::string_view topic : helpTopics()) add(topic, "keyword");
    } else if (found->name == ":break") {
        for (graph::NodeId id = 0; id < graph.nodes.size(); ++id) add(nameOf(graph, id), "filter");
    } else if (found->name == ":peek" || found->name == ":watch" || found->name == ":drop") {
        for (graph::EdgeId id = 0; id < graph.edges.size(); ++id)
            add(nameOfEdge(graph, id), "channel");
    } else {
        return false;
    }
    to.begin = at.place() - static_cast<std::uint32_t>(at.argument.size());
    return true;
}

void Completer::find(const Cursor& at, Completion& to) const {
    const Token* last = at.last();
    if (last && last->isOpen && last->kind == TokenKind::String) {
        to.begin = last->begin + 1;
        addFiles(at.text.substr(to.begin), to.candidates);
    } else if (at.isBehind(TokenKind::Command)) {
        to.begin = last->begin;
        for (const Command& each : commands())
            if (each.name.starts_with(last->text))
                to.candidates.push_back(
                    {std::string(each.name), "command", std::string(each.about)});
    } else if (findArguments(at, to)) {
        return;
    } else if (const auto file = at.file()) {
        to.begin = at.place() - static_cast<std::uint32_t>(file->size());
        addFiles(*file, to.candidates);
        quote(to.candidates);
    } else if (const auto [owner, begun] = memberAt(at.tokens, at.place()); !owner.empty()) {
        to.begin = at.place() - static_cast<std::uint32_t>(begun.size());
        to.candidates = membersOf(owner, begun);
    } else if (at.isBehind(TokenKind::Word) || at.isBehind(TokenKind::Keyword) ||
               at.isBehind(TokenKind::Type)) {
        to.begin = last->begin;
        to.candidates = namesFrom(last->text);
    } else if (!last || last->kind != TokenKind::Comment) {
        to.candidates = namesFrom({});
    }
}

Completion Completer::complete(std::string_view text, std::uint32_t cursor) const {
    Completion found{cursor, cursor, {}};
    find(Cursor(text.substr(0, cursor)), found);
    std::vector<Candidate>& list = found.candidates;
    std::sort(list.begin(), list.end(),
              [](const Candidate& a, const Candidate& b) { return a.text < b.text; });
    const auto same =
        std::unique(list.begin(), list.end(),
                    [](const Candidate& a, const Candidate& b) { return a.text == b.text; });
    list.erase(same, list.end());
    if (list.size() > kMostCandidates) list.resize(kMostCandidates);
    return found;
}

std::vector<Coloured> Completer::colour(std::string_view text) const {
    std::vector<Coloured> list;
    for (const Token& token : tokenize(text)) {
        std::string kind;
        switch (token.kind) {
            case TokenKind::Word: kind = names.kindOf(token.text); break;
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
