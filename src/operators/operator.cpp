#include "operators/operator.h"

#include <algorithm>

#include "operators/detail/loops.h"

namespace strc::operators {
namespace {

std::string text(const View& view) {
    std::string all;
    for (std::int64_t extent : view.extents)
        all += (all.empty() ? "" : "x") + std::to_string(extent);
    return all;
}

}  // namespace

std::optional<Operator> operatorOf(const ir::Contraction& how, bool storedA, bool storedB) {
    const bool hasTaps = std::any_of(how.windows.begin(), how.windows.end(),
                                     [](const ir::Window& window) { return window.tap; });
    if (hasTaps) return convolutionOf(how);
    const bool swapsFirst = storedA && !storedB;
    for (const bool swaps : {swapsFirst, !swapsFirst}) {
        std::optional<Operator> found = matmulOf(swaps ? ir::swapped(how) : how);
        if (!found) continue;
        found->isSwapped = swaps;
        return found;
    }
    return how.windows.empty() ? std::nullopt : convolutionOf(how);
}

std::string print(const Operator& what) {
    const bool isMatmul = what.kind == OperatorKind::Matmul;
    std::string line = isMatmul ? "matmul " : "convolution ";
    line += text(what.source) + ' ' + text(what.weights);
    if (isMatmul) return line;
    auto add = [&](const char* word, const std::vector<std::int64_t>& all) {
        line += word;
        for (std::int64_t each : all) line += ' ' + std::to_string(each);
    };
    add(", strides", what.strides);
    add(", dilations", what.dilations);
    return line;
}

}  // namespace strc::operators
