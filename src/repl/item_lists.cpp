#include "repl/detail/item_lists.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "repl/detail/values.h"

namespace strc::repl {

using types::Type;

namespace {

constexpr std::string_view kItems = "items__";

}  // namespace

std::string ItemLists::itemsOf(const Input& input, const MixedText& text) {
    std::unique_ptr<Work> work = evaluator.run(input, text);
    const ir::Module& module = work->program.module;
    for (std::size_t k = 0; k < module.globals.size(); ++k)
        if (module.globals[k].name == kItems) return module.globalValues[k].bytes;
    return {};
}

/// `[1, 2, 3]` as bytes of the input's type.
std::string ItemLists::listed(const Input& input, const Line& line, Span inside, const Type* item) {
    const std::size_t count = countItems(line, inside);
    if (count == 0) return {};
    const std::optional<std::size_t> mark = rangeMark(line, inside);
    if (mark && count > 1)
        output.fail(part(input, line, inside),
                    "a range stands alone: [1 .. 9]; a list is [1, 2, 3]");
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
std::string ItemLists::range(const Input& from, const Input& to, const Type* item) {
    const std::int64_t first = evaluator.valueOf(from, "int")->toInt();
    const std::int64_t last = evaluator.valueOf(to, "int")->toInt();
    if (last < first) {
        output.confirm("no items: the range ends before it begins\n");
        return {};
    }
    constexpr std::int64_t kMost = 1 << 24;
    if (last - first >= kMost) output.fail(to, fmt::format("a range has at most {} items", kMost));
    const auto count = static_cast<std::size_t>(last - first + 1);
    MixedText text(from.typed);
    text.own("static { ").own(arrayOf(item, count)).own(" ").own(kItems);
    text.own(
        fmt::format("; init {{ for (int k__ = 0; k__ < {}; k__++) {}[k__] = (", count, kItems));
    text.piece(from.begin, from.end).own(") + k__; } }");
    return itemsOf(from, text);
}

std::vector<double> ItemLists::numbers(const Input& list) {
    Line line;
    line.tokens = tokenize(list.text());
    std::erase_if(line.tokens, [](const Token& t) { return t.kind == TokenKind::Comment; });
    if (line.tokens.size() < 2 || !line.tokens.back().is("]"))
        output.fail(list, "a list of numbers is written [1, 2, 3]");
    const types::TypeTable table;
    const std::string bytes = listed(list, line, {1, line.tokens.size() - 1}, table.doubleType());
    std::vector<double> numbers(bytes.size() / sizeof(double));
    std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(double));
    return numbers;
}

/// Row by row, as a file of them would be read.
std::string ItemLists::elementsOf(const Input& tensor, const Type* item) {
    const types::Value value = *evaluator.valueOf(tensor);
    if (value.type->element->kind != item->kind)
        output.fail(tensor, fmt::format("{} has other elements than {}, which the stream takes",
                                        types::toString(value.type), types::toString(item)));
    return value.bytes;
}

/// An array, item by item, or a single value.
std::string ItemLists::ofValue(const Input& input, const Type* item) {
    const std::string type = evaluator.typeOf(input);
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

}  // namespace strc::repl
