// `coalesce-parts`: what is done to parts of a tensor, which are joined again along the dimension that they were cut
// along, is done to the whole: op(a), op(b), … joined is op(a, b, … joined), and neighbouring slices joined are one slice.

#include <algorithm>
#include <functional>

#include "opt/tensor_passes.h"
#include "opt/tensor_rewriter.h"
#include "tensor/node.h"

namespace strc::opt {
namespace {

using ir::Instr;
using ir::Op;
using ir::Reg;
using types::TensorFn;
using types::Type;
using types::TypeKind;
using Regs = std::vector<Reg>;

/// Items of a dimension of a tensor.
struct Cut {
    Reg of = ir::kNone;
    std::int64_t dim = 0, from = 0, to = 0;
};

/// What parts make together: a cut, or an operation. Operands without an operation or cut are the same for all parts.
struct Whole {
    Reg shared = ir::kNone;
    Cut cut;
    const Instr* like = nullptr;
    std::vector<Whole> operands;
};

class Coalescer : TensorRewriter {
public:
    Coalescer(elab::Kernel& kernel, types::TypeTable& table)
        : TensorRewriter(kernel, table), isInner(body.regs.size()) {
        for (const Instr& instr : body.blocks[body.entry].instrs)
            if (isConcat(instr))
                for (Reg part : partsOf(instr))
                    if (continues(part, dimOf(instr))) isInner[part] = true;
    }

    bool run() {
        return changeOne([this](const Instr& instr) { return joined(instr); });
    }

private:
    // ---- what is joined

    bool isConcat(const Instr& instr) const {
        return instr.op == Op::Tensor && instr.tensor == TensorFn::Concat && typeOf(instr.result) &&
               facts.constants[instr.operands.back()];
    }

    std::int64_t dimOf(const Instr& concat) const {
        return dimension(concat.operands.back(), typeOf(concat.result)->dims.size());
    }

    static Regs partsOf(const Instr& concat) {
        return {concat.operands.begin(), concat.operands.end() - 1};
    }

    /// Is it joined along the same dimension, for that alone?
    bool continues(Reg part, std::int64_t dim) const {
        const Instr* maker = makerOf(part);
        return maker && isConcat(*maker) && dimOf(*maker) == dim;
    }

    void collect(const Instr& concat, std::int64_t dim, Regs& parts) const {
        for (Reg part : partsOf(concat)) {
            if (continues(part, dim))
                collect(*makerOf(part), dim, parts);
            else
                parts.push_back(part);
        }
    }

    std::optional<Reg> joined(const Instr& instr) {
        if (!isConcat(instr) || isInner[instr.result]) return std::nullopt;
        Regs parts;
        collect(instr, dimOf(instr), parts);
        const std::optional<Whole> whole = wholeOf(parts, dimOf(instr));
        if (!whole) return std::nullopt;
        return emitWhole(*whole);
    }

    // ---- what parts make together

    std::optional<Whole> wholeOf(const Regs& parts, std::int64_t dim) const {
        if (const std::optional<Cut> cut = wholeCut(parts, dim))
            return Whole{ir::kNone, *cut, {}, {}};
        std::vector<const Instr*> makers;
        for (Reg part : parts) {
            makers.push_back(makerOf(part));
            if (!makers.back() || !areAlike(*makers[0], *makers.back())) return std::nullopt;
        }
        Whole whole{ir::kNone, {}, makers[0], {}};
        bool hasParts = false;
        for (std::size_t k = 0; k < makers[0]->operands.size(); ++k) {
            Regs operands;
            for (const Instr* maker : makers) operands.push_back(maker->operands[k]);
            const bool isSame = std::all_of(operands.begin(), operands.end(),
                                            [&](Reg each) { return isEqual(each, operands[0]); });
            const std::optional<std::int64_t> along = alongOf(*makers[0], k, dim, isSame);
            if (!along && !isSame) return std::nullopt;
            if (!along) {
                whole.operands.push_back({operands[0], {}, {}, {}});
                continue;
            }
            for (const Instr* maker : makers)
                if (extent(maker->operands[k], *along) != extent(maker->result, dim))
                    return std::nullopt;
            std::optional<Whole> operand = wholeOf(operands, *along);
            if (!operand) return std::nullopt;
            whole.operands.push_back(std::move(*operand));
            hasParts = true;
        }
        return hasParts ? std::optional(std::move(whole)) : std::nullopt;
    }

    static bool areAlike(const Instr& a, const Instr& b) {
        return a.tensor == b.tensor && a.math == b.math && a.type == b.type &&
               a.operands.size() == b.operands.size();
    }

    bool isEqual(Reg a, Reg b) const {
        return a == b || (facts.constants[a] && facts.constants[a] == facts.constants[b]);
    }

    std::int64_t extent(Reg tensor, std::int64_t dim) const {
        return typeOf(tensor)->dims[static_cast<std::size_t>(dim)];
    }

    std::int64_t dimension(Reg constant, std::size_t rank) const {
        const std::int64_t dim = facts.constants[constant]->toInt();
        return dim < 0 ? dim + static_cast<std::int64_t>(rank) : dim;
    }

    /// The dimension of an operand that the result's dimension goes along; none: all places need the same of it, or
    /// nobody knows.
    std::optional<std::int64_t> alongOf(const Instr& instr, std::size_t k, std::int64_t dim,
                                        bool isSame) const {
        if (!typeOf(instr.operands[k])) return std::nullopt;
        const auto rank = static_cast<std::int64_t>(typeOf(instr.result)->dims.size());
        switch (instr.tensor) {
            case TensorFn::Matmul: {
                const auto own = rankOf(instr.operands[k]);
                if (rankOf(instr.operands[1 - k]) < 2 || own < 2) return std::nullopt;
                if (dim < rank - 2) return aligned(instr, k, dim, isSame);
                const bool isRow = dim == rank - 2;
                if (isRow != (k == 0)) return std::nullopt;
                return isRow ? own - 2 : own - 1;
            }
            case TensorFn::Conv: {
                const bool isBatched = rankOf(instr.operands[0]) == rankOf(instr.operands[1]);
                if (k == 0 && isBatched && dim == 0) return 0;
                const bool isWhole = isNumber(instr.operands.back(), 1);  // of one group
                if (k == 1 && isWhole && dim == (isBatched ? 1 : 0)) return 0;
                return std::nullopt;
            }
            case TensorFn::Transpose: {
                const auto size = static_cast<std::size_t>(rank);
                const std::int64_t a = dimension(instr.operands[1], size),
                                   b = dimension(instr.operands[2], size);
                return dim == a ? b : dim == b ? a : dim;
            }
            default:
                return tensor::isElementwise(instr.tensor) ? aligned(instr, k, dim, isSame)
                                                           : std::nullopt;
        }
    }

    std::int64_t rankOf(Reg tensor) const {
        return typeOf(tensor) ? static_cast<std::int64_t>(typeOf(tensor)->dims.size()) : 0;
    }

    bool isNumber(Reg constant, std::int64_t number) const {
        const auto& value = facts.constants[constant];
        return value && value->type->is(TypeKind::Int) && value->toInt() == number;
    }

    /// Counted from the last one; an operand that all share may stand still along it.
    std::optional<std::int64_t> aligned(const Instr& instr, std::size_t k, std::int64_t dim,
                                        bool isSame) const {
        const Reg operand = instr.operands[k];
        const std::int64_t own = dim - rankOf(instr.result) + rankOf(operand);
        if (own < 0 || (isSame && extent(operand, own) == 1)) return std::nullopt;
        return own;
    }

    // ---- cuts

    std::optional<Cut> cutOf(Reg part, std::int64_t dim) const {
        const Instr* maker = facts.makers[part];
        if (!maker || maker->op != Op::Tensor || maker->tensor != TensorFn::Slice ||
            !typeOf(part) || !typeOf(maker->operands[0]))
            return std::nullopt;
        for (std::size_t k = 1; k < maker->operands.size(); ++k)
            if (!facts.constants[maker->operands[k]]) return std::nullopt;
        const bool isEach = maker->operands.size() == 4 || isNumber(maker->operands[4], 1);
        const std::int64_t from = facts.constants[maker->operands[2]]->toInt();
        if (!isEach || from < 0 || dimension(maker->operands[1], typeOf(part)->dims.size()) != dim)
            return std::nullopt;
        return Cut{maker->operands[0], dim, from, from + extent(part, dim)};
    }

    /// Of cuts that follow each other.
    std::optional<Cut> wholeCut(const Regs& parts, std::int64_t dim) const {
        std::optional<Cut> whole;
        for (Reg part : parts) {
            const std::optional<Cut> cut = cutOf(part, dim);
            if (!cut) return std::nullopt;
            if (!whole)
                whole = cut;
            else if (cut->of != whole->of || cut->from != whole->to)
                return std::nullopt;
            else
                whole->to = cut->to;
        }
        return whole;
    }

    // ---- what takes their place

    Reg emitWhole(const Whole& whole) {
        if (whole.shared != ir::kNone) return whole.shared;
        if (!whole.like) {
            const Cut& cut = whole.cut;
            if (cut.from == 0 && cut.to == extent(cut.of, cut.dim)) return cut.of;
            return emitTo(TensorFn::Slice, cut.of, {cut.dim, cut.from, cut.to});
        }
        Regs operands;
        for (const Whole& operand : whole.operands) operands.push_back(emitWhole(operand));
        return emitLike(*whole.like, std::move(operands));
    }

    std::vector<bool> isInner;  ///< by register: a part of what a larger concat puts together
};

}  // namespace

bool coalesceParts(elab::Kernel& kernel, types::TypeTable& types) {
    bool changes = false;
    while (Coalescer(kernel, types).run()) changes = true;
    return changes;
}

}  // namespace strc::opt
