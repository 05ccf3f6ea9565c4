// `take 10 Ramp() | Scale(2)`, `Scale(2) <- [1, 2, 3]`, `s = Scale(2)`, `s <- "in.wav" -> "out.wav"`.

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "base/own_stack.h"
#include "repl/commands.h"
#include "repl/sink.h"
#include "repl/state.h"
#include "repl/values.h"
#include "types/builtin_streams.h"

namespace strc::repl {

using types::Type;
using types::Value;

namespace {

constexpr std::uint64_t kGivenOfSource = 10;  ///< items that a source without `take` gives

bool isStreamKind(const Token& token) {
    return token.is("filter") || token.is("pipeline") || token.is("splitjoin") ||
           token.is("feedbackloop") || token.is("stateful");
}

/// Does an arrow at `at` belong to the type of an anonymous stream?
bool isTypeArrow(const std::vector<Token>& tokens, std::size_t at) {
    int depth = 0;
    for (std::size_t k = at + 1; k < tokens.size(); ++k) {
        const Token& token = tokens[k];
        if (token.is("[")) ++depth;
        if (token.is("]")) --depth;
        if (depth > 0) continue;
        if (isStreamKind(token)) return true;
        const bool isInType = token.kind == TokenKind::Word || token.kind == TokenKind::Type ||
                              token.is("]") || token.is("[");
        if (!isInType) return false;
    }
    return false;
}

class LineParser {
public:
    explicit LineParser(std::string_view text) {
        line.tokens = tokenize(text);
        std::erase_if(line.tokens, [](const Token& t) { return t.kind == TokenKind::Comment; });
    }

    Line parse() {
        const auto& tokens = line.tokens;
        if (tokens.size() > 1 && tokens[0].kind == TokenKind::Word && tokens[1].is("=")) {
            line.name = Span{0, 1};
            at = 2;
        }
        if (at < tokens.size() && tokens[at].is("take")) take();
        const std::size_t end = nextMark(at);
        elements({at, end});
        at = end;
        if (isAt("<-")) {
            const std::size_t from = ++at;
            line.source = Span{from, at = nextMark(at)};
        }
        if (isAt("->")) {
            const std::size_t from = ++at;
            line.sink = Span{from, at = nextMark(at)};
        }
        if (at < tokens.size()) line.rest = Span{at, tokens.size()};
        return std::move(line);
    }

private:
    bool isAt(std::string_view what) const {
        return at < line.tokens.size() && line.tokens[at].is(what);
    }
    /// What stands between the `|`, also inside of brackets around several.
    void elements(Span all) {
        for (std::size_t from = all.begin; from < all.end;) {
            const std::size_t to = std::min(nextPipe(from), all.end);
            const auto& tokens = line.tokens;
            if (to > from + 2 && tokens[from].is("(") && tokens[to - 1].is(")"))
                elements({from + 1, to - 1});
            else
                line.elements.push_back({from, to});
            from = to + 1;
        }
    }
    bool isAtOneOf(std::initializer_list<std::string_view> list) const {
        return std::any_of(list.begin(), list.end(), [this](auto each) { return isAt(each); });
    }
    /// An expression goes on as long as what follows can begin no stream.
    void take() {
        const std::size_t from = ++at;
        operand();
        while (isAtOneOf({"+", "-", "*", "/", "%", "<<", ">>", "&"})) {
            ++at;
            operand();
        }
        line.take = Span{from, at};
    }
    /// One number, name or bracketed expression, with what is called or selected of it.
    void operand() {
        while (isAtOneOf({"-", "+", "~"}) || isAtCast()) at += isAtCast() ? 3 : 1;
        const bool isName = at < line.tokens.size() && line.tokens[at].kind == TokenKind::Word;
        if (isAt("("))
            group();
        else
            ++at;
        while (isName && isAtOneOf({"(", "[", "."})) {
            if (isAt("."))
                at += 2;
            else
                group();
        }
        at = std::min(at, line.tokens.size());
    }
    bool isAtCast() const {
        return at + 2 < line.tokens.size() && line.tokens[at].is("(") &&
               line.tokens[at + 1].kind == TokenKind::Type && line.tokens[at + 2].is(")");
    }
    /// Over a bracket and what is in it.
    void group() {
        int depth = 0;
        for (; at < line.tokens.size(); ++at) {
            if (isAtOneOf({"(", "["})) ++depth;
            if (isAtOneOf({")", "]"}) && --depth == 0) break;
        }
        ++at;
    }
    template <typename Is>
    std::size_t next(std::size_t from, Is is) const {
        int depth = 0;
        for (std::size_t k = from; k < line.tokens.size(); ++k) {
            const Token& token = line.tokens[k];
            if (token.is("(") || token.is("[") || token.is("{")) ++depth;
            if (token.is(")") || token.is("]") || token.is("}")) --depth;
            if (depth == 0 && is(k)) return k;
        }
        return line.tokens.size();
    }
    std::size_t nextMark(std::size_t from) const {
        return next(from, [&](std::size_t k) {
            const Token& token = line.tokens[k];
            return token.is("<-") || (token.is("->") && !isTypeArrow(line.tokens, k));
        });
    }
    std::size_t nextPipe(std::size_t from) const {
        return next(from, [&](std::size_t k) { return line.tokens[k].is("|"); });
    }

    Line line;
    std::size_t at = 0;
};

Input part(const Input& input, const Line& line, Span span) {
    Input made = input;
    if (span.isEmpty()) {
        made.begin = made.end = input.end;
        return made;
    }
    made.begin = input.begin + line.tokens[span.begin].begin;
    made.end = input.begin + line.tokens[span.end - 1].end;
    return made;
}

bool isString(const Line& line, Span span) {
    return span.end == span.begin + 1 && line.tokens[span.begin].kind == TokenKind::String;
}

std::string unquoted(std::string_view text) {
    std::string out;
    for (std::size_t k = 1; k + 1 < text.size(); ++k) {
        if (text[k] == '\\' && k + 2 < text.size()) ++k;
        out += text[k];
    }
    return out;
}

/// The file that a string names.
std::string fileIn(const Input& quoted) { return session::expandHome(unquoted(quoted.text())); }

/// How many expressions stand in `[…]`.
std::size_t countItems(const Line& line, Span inside) {
    if (inside.isEmpty()) return 0;
    std::size_t count = 1;
    int depth = 0;
    for (std::size_t k = inside.begin; k < inside.end; ++k) {
        const Token& token = line.tokens[k];
        if (token.is("(") || token.is("[") || token.is("{")) ++depth;
        if (token.is(")") || token.is("]") || token.is("}")) --depth;
        if (depth == 0 && token.is(",")) ++count;
    }
    return count;
}

}  // namespace

/// Does the entry speak of a stream, and not of numbers?
bool State::isStream(const Input& input) const {
    std::vector<Token> tokens = tokenize(input.text());
    std::erase_if(tokens, [](const Token& t) { return t.kind == TokenKind::Comment; });
    if (tokens.empty()) return false;
    std::size_t at = 0;
    const bool isAssignment =
        tokens.size() > 2 && tokens[0].kind == TokenKind::Word && tokens[1].is("=");
    // Of a variable: `stream` says that it is none.
    if (isAssignment && declarations.variables.contains(tokens[0].text) &&
        !isStreamName(tokens[2].text))
        return false;
    if (isAssignment) at = 2;
    const Token& first = tokens[at];
    if (first.is("take") || first.is("<-") || isStreamKind(first)) return true;
    for (std::size_t k = at; k < tokens.size() && !tokens[k].is("{"); ++k)
        if (tokens[k].is("->") && isTypeArrow(tokens, k)) return true;
    if (first.is("(")) {
        while (at < tokens.size() && tokens[at].is("(")) ++at;
        return at < tokens.size() && (isStreamName(tokens[at].text) || isStreamKind(tokens[at]));
    }
    if (first.kind != TokenKind::Word && !first.is("add") && !first.is("split")) return false;
    if (declarations.variables.contains(first.text)) return false;
    const Token* after = at + 1 < tokens.size() ? &tokens[at + 1] : nullptr;
    int depth = 0;
    for (std::size_t k = at; k < tokens.size(); ++k) {
        if (tokens[k].is("(")) ++depth;
        if (tokens[k].is(")")) --depth;
        if (depth == 0 && tokens[k].is("<-")) return true;
    }
    const bool follows =
        !after || after->is("(") || after->is("<") || after->is("|") || after->is("->");
    return follows && isStreamName(first.text);
}

bool State::isStreamName(std::string_view name) const {
    if (instances.contains(name)) return true;
    if (const Declaration* known = declarations.find(name)) return known->isStream();
    return workbench.isLibraryStream(name) ||
           types::findBuiltinStream(name) != types::BuiltinStream::None;
}

void State::checkName(const Input& input, std::string_view name, std::string_view kind) {
    auto refuse = [&](std::string_view other) {
        fail(input, fmt::format("'{}' is {}: the {} needs another name", name, other, kind));
    };
    if (kind != "stream" && instances.contains(name)) refuse("a stream that runs");
    if (kind != "variable" && declarations.variables.contains(name)) refuse("a variable");
    if (kind == "declaration") return;
    if (const Declaration* known = declarations.find(name))
        refuse(fmt::format("a declared {}", known->kind));
    if (isStreamName(name) && !instances.contains(name)) refuse("a stream of the library");
    if (name.ends_with("__")) refuse("a name of the session's own");
}

// ---------------------------------------------------------------- making

namespace {

MixedText wrapped(const Input& input, const Line& line, const std::string& name) {
    MixedText text(input.typed);
    text.own("void->void pipeline ").own(name).own(" {\n");
    for (Span span : line.elements) {
        Input element = part(input, line, span);
        text.own("add ").piece(element.begin, element.end).own(";\n");
    }
    return text.own("}\n"), text;
}

}  // namespace

std::string State::streamName() const {
    std::string name = "it";
    while (declarations.contains(name)) name += '_';
    return name;
}

std::shared_ptr<Running> State::make(const Input& input, const std::string& source, MixedText text,
                                     Use use) {
    Task task;
    task.typed = std::string(input.typed);
    task.input = input.name;
    task.top = streamName();
    task.last = isCompiled ? session::Stage::Planned : session::Stage::Balanced;
    auto made = std::make_shared<Running>(workbench, std::move(task), std::move(text), source);
    check(made->messages());
    if (isInterrupted(world)) throw Failed();
    const std::vector<std::string> names = [&] {
        auto found = namesIn(made->mixed.text());
        return std::vector<std::string>(found.begin(), found.end());
    }();
    made->uses = declarations.copyOf(names);
    made->isCompiled = isCompiled;
    if (use == Use::Look) return made;
    dropWritersOf(*made);
    const bool isReady =
        made->start([this](std::string_view printed) { show(printed); }, world.interrupt);
    made->onChange = [this, raw = made.get()](graph::EdgeId edge) { showChange(*raw, edge); };
    check(made->messages());
    if (!isReady) throw Failed();
    return made;
}

// ---------------------------------------------------------------- feeding

namespace {

constexpr std::string_view kItems = "items__";

/// So many of them: `float[4]` becomes `float[n][4]`.
std::string arrayOf(const Type* item, std::size_t count) {
    std::string text = types::toString(item);
    const std::size_t bracket = std::min(text.find('['), text.size());
    return text.insert(bracket, fmt::format("[{}]", count));
}

}  // namespace

std::string State::itemsOf(const Input& input, const MixedText& text) {
    std::unique_ptr<Work> work = runStatics(input, text, {});
    const ir::Module& module = work->program.module;
    for (std::size_t k = 0; k < module.globals.size(); ++k)
        if (module.globals[k].name == kItems) return module.globalValues[k].bytes;
    return {};
}

/// `[1, 2, 3]` as bytes of the input's type.
std::string State::listed(const Input& input, const Line& line, Span inside, const Type* item) {
    const std::size_t count = countItems(line, inside);
    if (count == 0) return {};
    for (std::size_t k = inside.begin; k < inside.end; ++k)
        if (line.tokens[k].is(".."))
            return range(part(input, line, {inside.begin, k}),
                         part(input, line, {k + 1, inside.end}), item);
    const Input items = part(input, line, inside);
    MixedText text(input.typed);
    text.own("static { ").own(arrayOf(item, count)).own(" ").own(kItems).own(" = {");
    text.piece(items.begin, items.end).own("}; }");
    return itemsOf(input, text);
}

/// `[1 .. 10]`.
std::string State::range(const Input& from, const Input& to, const Type* item) {
    const std::int64_t first = valueOf(from, "int")->toInt();
    const std::int64_t last = valueOf(to, "int")->toInt();
    if (last < first) {
        confirm("no items: the range ends before it begins\n");
        return {};
    }
    constexpr std::int64_t kMost = 1 << 24;
    if (last - first >= kMost) fail(to, fmt::format("a range has at most {} items", kMost));
    const auto count = static_cast<std::size_t>(last - first + 1);
    MixedText text(from.typed);
    text.own("static { ").own(arrayOf(item, count)).own(" ").own(kItems);
    text.own(
        fmt::format("; init {{ for (int k__ = 0; k__ < {}; k__++) {}[k__] = (", count, kItems));
    text.piece(from.begin, from.end).own(") + k__; } }");
    return itemsOf(from, text);
}

std::vector<double> State::listedNumbers(const Input& list) {
    Line line;
    line.tokens = tokenize(list.text());
    std::erase_if(line.tokens, [](const Token& t) { return t.kind == TokenKind::Comment; });
    if (line.tokens.size() < 2 || !line.tokens.back().is("]"))
        fail(list, "a list of numbers is written [1, 2, 3]");
    const types::TypeTable table;
    const std::string bytes = listed(list, line, {1, line.tokens.size() - 1}, table.doubleType());
    std::vector<double> numbers(bytes.size() / sizeof(double));
    std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(double));
    return numbers;
}

/// An array, item by item, or a single value.
std::string State::itemsOfValue(const Input& input, const Type* item) {
    const std::string type = typeOf(input);
    MixedText text(input.typed);
    const auto known = declarations.variables.find(input.text());
    const bool isArray = known != declarations.variables.end() &&
                         std::count(type.begin(), type.end(), '[') > types::rank(item);
    if (!isArray) {
        text.own("static { ").own(arrayOf(item, 1)).own(" ").own(kItems).own(" = {");
        return itemsOf(input, text.piece(input.begin, input.end).own("}; }"));
    }
    const std::size_t at = type.find('[');
    const std::string count = type.substr(at + 1, type.find(']') - at - 1);
    text.own("static { ").own(arrayOf(item, std::stoul(count))).own(" ").own(kItems);
    text.own(fmt::format("; init {{ for (int k__ = 0; k__ < {}; k__++) {}[k__] = ", count, kItems));
    text.piece(input.begin, input.end).own("[k__]; } }");
    return itemsOf(input, text);
}

// ---------------------------------------------------------------- files

io::Format State::formatOf(const Input& input, const std::string& file) {
    if (std::optional<io::Format> format = io::formatOf(file)) return *format;
    fail(input, fmt::format("the name '{}' does not say what format the file has", file));
}

namespace {

/// One file, also by links.
bool isSameFile(const std::string& a, const std::string& b) {
    std::error_code failed;
    return std::filesystem::equivalent(a, b, failed) && !failed &&
           !std::filesystem::is_character_file(a, failed);
}

}  // namespace

/// A file that is read, or that filters write, would be emptied; a variable has a type of today.
void State::checkSink(const Running& stream, const Line& line, const Input& input) {
    if (!line.sink) return;
    const Input to = part(input, line, *line.sink);
    if (!stream.output()) fail(to, "this stream has no output");
    if (!isString(line, *line.sink)) return checkType(stream, stream.output(), to);
    const std::string file = fileIn(to);
    auto refuse = [&](const std::string& other) {
        if (!other.empty() && isSameFile(file, other))
            fail(to, fmt::format("'{}' is in use by this stream: another file is needed", file));
    };
    if (line.source && isString(line, *line.source))
        refuse(fileIn(part(input, line, *line.source)));
    if (!line.source && stream.file) refuse(stream.file->name());
    for (const graph::Node& node : stream.graph().nodes) refuse(node.file);
}

void State::openSink(Sink& sink, const Input& input, const Line& line, const Type* item,
                     io::StreamInfo info) {
    if (!line.sink) return;
    const Input to = part(input, line, *line.sink);
    if (isString(line, *line.sink)) {
        const std::string file = fileIn(to);
        io::StreamInfo wanted;
        wanted.sampleRate = info.sampleRate;
        wanted.channels = info.channels;
        wanted.width = info.width;
        auto opened = io::openWriter(file, formatOf(to, file), item, wanted);
        if (!opened) fail(to, opened.error());
        sink.writer = std::move(*opened);
        return;
    }
    const bool isName = line.sink->end == line.sink->begin + 1 &&
                        line.tokens[line.sink->begin].kind == TokenKind::Word;
    if (!isName) fail(to, "a file name in quotes, or the name of a variable is needed here");
    checkName(to, to.text(), "variable");
    sink.variable = to.text();
}

void State::closeSink(Sink& sink, const Input& input, const Type* item) {
    if (sink.writer) {
        base::Status closed = sink.writer->close();
        if (sink.failure) fail(input, sink.failure->text);
        if (!closed) fail(input, closed.error());
        results = {};
        show(fmt::format("{} item{} written\n", sink.count, sink.count == 1 ? "" : "s"));
        return;
    }
    sink.end();
    results = std::move(sink.kept);
    resultsOf = current;
    if (sink.variable.empty() && !sink.showsRows()) giveAll();
    if (sink.failure) fail(input, sink.failure->text);
    if (sink.variable.empty()) return;
    const std::uint64_t count = results.count();
    Variable made{arrayOf(item, count), results.bytes, namesIn(types::toString(item))};
    declarations.variables.insert_or_assign(sink.variable, std::move(made));
    show(fmt::format("{} = {} item{}\n", sink.variable, count, count == 1 ? "" : "s"));
}

// ---------------------------------------------------------------- running

std::shared_ptr<Running> State::meant(const Input& input, const Line& line, Use use) {
    if (line.elements.empty()) {
        if (line.name) fail(input, "a stream is needed after '='");
        if (!current) fail(input, "there is no stream yet: 'Scale(2) <- [1, 2, 3]' makes one");
        return current;
    }
    for (Span each : line.elements) {
        if (each.isEmpty()) fail(input, "a stream is missing beside '|'");
        const std::string_view name = line.tokens[each.begin].text;
        auto known = instances.find(name);
        if (known == instances.end() || each.end != each.begin + 1) continue;
        if (line.elements.size() == 1 && !line.name) return known->second;
        fail(part(input, line, each),
             fmt::format("'{}' is a stream that runs already: it cannot become part of another",
                         name));
    }
    const Input whole = part(input, line, {line.elements.front().begin, line.elements.back().end});
    return make(input, std::string(whole.text()), wrapped(input, line, streamName()), use);
}

std::shared_ptr<Running> State::described(const Input& input) {
    const Line line = LineParser(input.text()).parse();
    if (line.elements.empty()) fail(input, "a stream is needed here");
    const Meanwhile quiet(isQuiet);
    return meant(input, line, Use::Look);
}

void State::stream(const Input& input) {
    const Line line = LineParser(input.text()).parse();
    if (line.rest)
        fail(part(input, line, *line.rest),
             "a stream has one source, '<- SOURCE', and behind it one sink, '-> SINK'");
    std::optional<std::uint64_t> take;
    if (line.take && line.take->isEmpty())
        fail(input, "'take' wants a number and a stream: 'take 10 Ramp()'");
    if (line.take) {
        const Input count = part(input, line, *line.take);
        const std::int64_t number = valueOf(count, "int")->toInt();
        if (number < 0) fail(count, "so many items cannot be taken");
        take = static_cast<std::uint64_t>(number);
    }
    std::string name;
    if (line.name) {
        name = part(input, line, *line.name).text();
        checkName(part(input, line, *line.name), name, "stream");
    }
    std::shared_ptr<Running> running = meant(input, line, Use::Run);
    hold(running, name);
    if (line.name && !line.source && !take && !line.sink) {
        confirm(fmt::format("{}: {}\n", name, running->signature()));
        return;
    }
    run(*running, line, take, input);
}

/// Structs are known by their names: those of the stream may have become others.
void State::checkType(const Running& stream, const Type* type, const Input& input) {
    const auto names = namesIn(types::toString(type));
    const std::vector<std::string> list(names.begin(), names.end());
    for (const Declaration* old : stream.uses.needed(list).declarations) {
        const Declaration* now = declarations.find(old->name);
        if (!now || now->text != old->text)
            fail(input,
                 fmt::format("this stream goes on with the old {}: make it anew", old->name));
    }
}

/// What stands behind `<-`.
State::Source State::sourceOf(const Running& stream, const Line& line, const Input& input) {
    const Input from = part(input, line, *line.source);
    if (!stream.input()) fail(from, "this stream has no input");
    if (line.source->isEmpty()) fail(from, "'<-' wants items: [1, 2, 3], a variable or \"file\"");
    if (!line.tokens[line.source->begin].is("[") && countItems(line, *line.source) > 1)
        fail(from, "a list of items is written in brackets: [1, 2, 3]");
    Source source;
    if (!isString(line, *line.source)) checkType(stream, stream.input(), from);
    if (isString(line, *line.source)) {
        const std::string name = fileIn(from);
        auto opened = io::openReader(name, formatOf(from, name), stream.input());
        if (!opened) fail(from, opened.error());
        source.file.emplace(name, std::move(*opened), stream.input());
    } else if (line.tokens[line.source->begin].is("[") &&
               line.tokens[line.source->end - 1].is("]")) {
        source.items =
            listed(input, line, {line.source->begin + 1, line.source->end - 1}, stream.input());
    } else {
        source.items = itemsOfValue(from, stream.input());
    }
    return source;
}

void State::feed(Running& stream, Source source) {
    if (stream.file) show("the rest of the file that fed it is not read\n");
    stream.file = std::move(source.file);
    if (source.items.empty()) return;
    const auto itemSize = static_cast<std::size_t>(types::sizeOf(stream.input()));
    stream.feed(reinterpret_cast<const std::byte*>(source.items.data()),
                source.items.size() / itemSize);
}

void State::run(Running& stream, const Line& line, std::optional<std::uint64_t> take,
                const Input& input) {
    Goal goal{take, std::nullopt};
    const bool isOpen = stream.input() != nullptr;
    const bool isWhole = line.sink && stream.readsFile();
    const bool isBounded = take || isOpen || !stream.output() || isWhole;
    if (!isBounded) goal.items = kGivenOfSource;
    if (take && stream.isCompiled && stream.counted() > Running::Counted::Lines)
        fail(part(input, line, line.take.value_or(Span{})),
             "machine code counts items that come out and lines that are printed, and here is "
             "neither; ':engine interpret' counts what is written, or steady states");
    std::optional<Source> source;
    if (line.source) {
        source = sourceOf(stream, line, input);
    } else if (isOpen && !take && !line.sink && !stream.hasBegun()) {
        show(fmt::format("{} waits for input: '<- [1, 2, 3]' feeds it\n", stream.signature()));
        return;
    }
    const bool isStreamed = world.isTerse && !isQuiet;
    Sink sink(isStreamed ? world.show : nullptr);
    const std::optional<FileSource>& file = source ? source->file : stream.file;
    checkSink(stream, line, input);
    openSink(sink, input, line, stream.output(), file ? file->info() : io::StreamInfo());
    if (source) feed(stream, std::move(*source));
    const Stop why =
        stream.go(goal, [&](const std::vector<Value>& items) { return sink.take(items); });
    std::vector<Message> messages = stream.messages();
    closeSink(sink, input, stream.output());
    tellWhy(stream, why, take, sink.count);
    if (!isBounded && why == Stop::Goal) show("`take N` gives more.\n");
    check(std::move(messages));
    if (auto fault = stream.takeFault())
        fail(line.source ? part(input, line, *line.source) : input, fault->text);
    if (why == Stop::Failed) throw Failed();
}

void State::tellWhy(const Running& stream, Stop why, std::optional<std::uint64_t> wanted,
                    std::uint64_t count) {
    switch (why) {
        case Stop::Break:
            show(fmt::format("stopped before {} fires, after {} steps\n",
                             stream.nameOf(stream.live->next()), stream.live->steps()));
            break;
        case Stop::Interrupted:
            answer->isInterrupted = true;
            if (stream.isCompiled)
                show("interrupted; it begins anew\n");
            else
                show(fmt::format("interrupted after {} steps; ':continue' goes on\n",
                                 stream.live->steps()));
            break;
        case Stop::Waiting:
            if (wanted && stream.output() && count < *wanted)
                show(fmt::format("{} of {}: the stream waits for more input\n", count, *wanted));
            break;
        case Stop::Failed:
            if (stream.isStuck())
                confirm("it fails here again: ':drop' takes items out, or make the stream anew\n");
            break;
        case Stop::Ended:
            if (stream.output() || wanted) show("the end of the input is reached\n");
            break;
        default: break;
    }
}

}  // namespace strc::repl
