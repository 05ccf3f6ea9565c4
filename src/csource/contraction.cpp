// Products of arrays as loops.
#include "ir/contraction.h"

#include <fmt/format.h>

#include "csource/detail/lines.h"
#include "csource/detail/literals.h"
#include "csource/detail/scalars.h"

namespace strc::csource {
namespace {

using ir::Contraction;
using ir::ContractionLoop;

/// "first + step * k + ..."
template <typename Step>
std::string place(std::int32_t first, const std::vector<ContractionLoop>& loops, Step step) {
    std::string text = first == 0 ? "" : std::to_string(first);
    for (std::size_t k = 0; k < loops.size(); ++k) {
        const std::int32_t by = step(loops[k]);
        if (by == 0) continue;
        text += text.empty() ? "" : " + ";
        text += by == 1 ? fmt::format("k{}", k) : fmt::format("{} * k{}", by, k);
    }
    return text.empty() ? "0" : text;
}

void openLoops(Lines& lines, const std::vector<ContractionLoop>& loops, bool areSums) {
    for (std::size_t k = 0; k < loops.size(); ++k)
        if ((loops[k].out == 0) == areSums)
            lines.open(fmt::format("for (int k{0} = 0; k{0} < {1}; ++k{0})", k, loops[k].trips));
}

void closeLoops(Lines& lines, const std::vector<ContractionLoop>& loops, bool areSums) {
    for (const ContractionLoop& loop : loops)
        if ((loop.out == 0) == areSums) lines.close();
}

}  // namespace

void printContraction(Lines& lines, const ir::Instr& instr, const FactorTexts& factors,
                      const std::vector<std::string>& arrays) {
    const Contraction how = ir::contractionOf(instr);
    const std::string& element = factors.sum;
    // Sums of whole numbers wrap, which those of signed types in C do not.
    const bool wraps = element.starts_with("int");
    const std::string total = wraps ? 'u' + element : element;
    const std::string cast = wraps ? '(' + total + ')' : "";
    auto pointer = [&](const char* name, const FactorText& factor, const std::string& array) {
        lines.add(fmt::format("const {0} *{1} = (const {0} *){2};", factor.type, name, array));
    };
    auto read = [](const FactorText& factor, const std::string& place) {
        return factor.widen.empty() ? place : fmt::format("{}({})", factor.widen, place);
    };
    lines.open("");
    lines.add(fmt::format("{0} *to = ({0} *){1};", element, arrays[0]));
    pointer("a", factors.a, arrays[1]);
    pointer("b", factors.b, arrays[2]);
    openLoops(lines, how.loops, false);
    lines.add(total + " total = 0;");
    openLoops(lines, how.loops, true);
    const std::string a = fmt::format(
        "a[{}]", place(how.a, how.loops, [](const ContractionLoop& loop) { return loop.a; }));
    const std::string b = fmt::format(
        "b[{}]", place(how.b, how.loops, [](const ContractionLoop& loop) { return loop.b; }));
    lines.add(
        fmt::format("total += {0}{1} * {0}{2};", cast, read(factors.a, a), read(factors.b, b)));
    closeLoops(lines, how.loops, true);
    for (std::size_t k = 0; k < how.addends; ++k)
        lines.add(fmt::format("total += {}((const {} *){})[{}];", cast, element, arrays[3 + k],
                              place(how.added[k], how.loops,
                                    [k](const ContractionLoop& loop) { return loop.added[k]; })));
    lines.add(fmt::format("{0} sum = {1}total;", element, wraps ? '(' + element + ')' : ""));
    if (how.bounds.areAny()) {
        lines.add(fmt::format("if (sum < {0}) sum = {0};", literal(how.bounds.low)));
        lines.add(fmt::format("if (sum > {0}) sum = {0};", literal(how.bounds.high)));
    }
    lines.add(fmt::format(
        "to[{}] = sum;",
        place(how.out, how.loops, [](const ContractionLoop& loop) { return loop.out; })));
    closeLoops(lines, how.loops, false);
    lines.close();
}

}  // namespace strc::csource
