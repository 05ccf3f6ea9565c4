#include "vector/widths.h"

#include <algorithm>

#include "vector/columns.h"

namespace strc::vector {
namespace {

using types::Type;

constexpr std::int64_t kNarrow = 64;  ///< bytes that a value takes in all lanes
/// Of arrays in which each lane has its own elements, for one lane.
constexpr std::int64_t kMostOfArrays = 4096;
constexpr std::int64_t kFewest = 8;  ///< firings at once: a block of columns

struct Own {
    std::int64_t scalars = 0;
    std::int64_t arrayBytes = 0;
};

/// The locals of which each lane has its own.
Own ownLocals(const ir::Body& body, const ir::Varying& varying) {
    Own own;
    for (std::size_t k = 0; k < body.locals.size(); ++k) {
        const Type* type = body.locals[k].type;
        if (!varying.locals[k]) continue;
        if (type->isAggregate())
            own.arrayBytes += types::sizeOf(type);
        else
            ++own.scalars;
    }
    return own;
}

bool hasLoop(const ir::Body& body) {
    return std::any_of(body.blocks.begin(), body.blocks.end(), [](const ir::Block& block) {
        return std::any_of(block.instrs.begin(), block.instrs.end(),
                           [](const ir::Instr& instr) { return instr.op == ir::Op::Loop; });
    });
}

/// A sum in a loop waits for itself: several registers of lanes side by side hide that, as long as
/// all that varies fits the registers.
std::int64_t bestBytes(const ir::Body& body, const Own& own) {
    if (!hasLoop(body) || own.arrayBytes != 0 || own.scalars > 3) return kNarrow;
    return own.scalars == 1 ? 4 * kNarrow : 2 * kNarrow;
}

bool isOfCopying(ir::Op op) {
    switch (op) {
        case ir::Op::Const:
        case ir::Op::Load:
        case ir::Op::Store:
        case ir::Op::Declare:
        case ir::Op::Add:
        case ir::Op::Lt:
        case ir::Op::Le:
        case ir::Op::Loop:
        case ir::Op::Yield:
        case ir::Op::Push:
        case ir::Op::Pop:
        case ir::Op::Peek:
        case ir::Op::Discard: return true;
        default: return false;
    }
}

/// Are items copied in loops, and nothing else? A firing alone moves vectors of them as they lie, and columns would be turned
/// round for nothing.
bool copiesRuns(const ir::Body& body, const Own& own) {
    if (!hasLoop(body) || own.scalars != 0 || own.arrayBytes != 0) return false;
    return std::all_of(body.blocks.begin(), body.blocks.end(), [](const ir::Block& block) {
        return std::all_of(block.instrs.begin(), block.instrs.end(),
                           [](const ir::Instr& instr) { return isOfCopying(instr.op); });
    });
}

bool itemsFit(const FiringFacts& filter, std::int64_t width) {
    const graph::Rates& rates = filter.rates;
    const std::int64_t out = types::sizeOf(filter.output) * rates.push.max * width;
    if (out > kMostOfItems) return false;
    if (!filter.input || !usesColumns(rates)) return true;
    return types::sizeOf(filter.input) * columnItems(rates, width) <= kMostOfItems;
}

}  // namespace

std::vector<unsigned> widthsOf(const FiringFacts& filter, const ir::Body& body,
                               const ir::Varying& varying) {
    if (!varying.whyNot.empty() || filter.rates.push.max == 0) return {};
    const Own own = ownLocals(body, varying);
    if (own.arrayBytes > kMostOfArrays || copiesRuns(body, own)) return {};
    std::vector<unsigned> widths;
    for (std::int64_t bytes = bestBytes(body, own); bytes >= kNarrow; bytes /= 2) {
        const std::int64_t width = bytes / ir::widestVarying(body, varying);
        if (width >= kFewest && itemsFit(filter, width))
            widths.push_back(static_cast<unsigned>(width));
    }
    return widths;
}

unsigned bestWidth(const std::vector<unsigned>& widths, std::int64_t firings) {
    unsigned best = 0;
    double least = 0;
    double slower = 1;  // than the best width, by what was measured
    for (unsigned width : widths) {
        const std::int64_t groups = (firings + width - 1) / width;
        const double cost = static_cast<double>(groups * width) * slower;
        slower *= 1.3;
        if (firings < width || (best != 0 && cost >= least)) continue;
        best = width;
        least = cost;
    }
    return best;
}

}  // namespace strc::vector
