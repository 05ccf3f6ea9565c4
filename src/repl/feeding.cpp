// Sources of items, which stand behind `<-`: lists, ranges, variables, files.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "repl/state.h"
#include "repl/values.h"

namespace strc::repl {

using types::Type;

namespace {

constexpr std::string_view kItems = "items__";

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
    const std::optional<std::size_t> mark = rangeMark(line, inside);
    if (mark && count > 1)
        fail(part(input, line, inside), "a range stands alone: [1 .. 9]; a list is [1, 2, 3]");
    if (mark)
        return range(part(input, line, {inside.begin, *mark}),
                     part(input, line, {*mark + 1, inside.end}), item);
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

/// Row by row, as a file of them would be read.
std::string State::elementsOf(const Input& tensor, const Type* item) {
    const types::Value value = *valueOf(tensor);
    if (value.type->element->kind != item->kind)
        fail(tensor, fmt::format("{} has other elements than {}, which the stream takes",
                                 types::toString(value.type), types::toString(item)));
    return value.bytes;
}

/// An array, item by item, or a single value.
std::string State::itemsOfValue(const Input& input, const Type* item) {
    const std::string type = typeOf(input);
    if (type.starts_with("tensor")) return elementsOf(input, item);
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

/// The source that stands behind `<-`.
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
    if (stream.file) remark("the rest of the file that fed it is not read\n");
    stream.file = std::move(source.file);
    if (source.items.empty()) return;
    stream.feed(reinterpret_cast<const std::byte*>(source.items.data()),
                source.items.size() / stream.inputSize());
}

}  // namespace strc::repl
