// `coalesce-parts`: what is done to parts of a tensor, which are joined again along the dimension that they were cut
// along, is done to the whole: op(a), op(b), … joined is op(a, b, … joined), and neighbouring slices joined are one slice.

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "opt/detail/dimension_map.h"
#include "opt/detail/tensor_constants.h"
#include "opt/detail/tensor_passes.h"
#include "opt/detail/tensor_rewriter.h"
#include "tensor/node.h"

namespace strc::opt {
namespace {

using ir::Instr;
using ir::Op;
using ir::Reg;
using types::TensorFn;
using types::Type;
using Regs = std::vector<Reg>;

/// Items of a dimension of a tensor.
struct Cut {
    Reg of = ir::kNone;
    std::int64_t dim = 0, from = 0, to = 0;
};

struct Whole;
using WholePtr = std::shared_ptr<Whole>;

/// What parts make together: a value that is the same for all parts, a cut, or an operation.
struct Whole {
    Reg shared = ir::kNone;
    Cut cut;
    const Instr* like = nullptr;
    std::vector<WholePtr> operands;
    std::vector<std::int64_t> dims;  ///< of an operation
    Reg made = ir::kNone;  ///< once it is there
};

class Coalescer : TensorRewriter {
public:
    Coalescer(elab::Kernel& kernel, types::TypeTable& table)
        : TensorRewriter(kernel, table), dimensions(facts), isInner(body.regs.size()) {
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
        return dimensions.dimension(concat.operands.back(), dimensions.rankOf(concat.result));
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
        known.clear();
        replaced.clear();
        const WholePtr whole = wholeOf(parts, dimOf(instr));
        if (!whole || !areGone(parts)) return std::nullopt;
        return emitWhole(*whole);
    }

    /// Does nobody else use what the parts were made by? It would be computed twice.
    bool areGone(const Regs& parts) const {
        std::map<Reg, int> gone;
        for (Reg part : parts) ++gone[part];
        for (const Instr* maker : replaced)
            for (Reg operand : maker->operands) ++gone[operand];
        return std::all_of(replaced.begin(), replaced.end(), [&](const Instr* maker) {
            return gone[maker->result] == uses[maker->result];
        });
    }

    // ---- what parts make together

    /// Null: nothing that could be done at once.
    WholePtr wholeOf(const Regs& parts, std::int64_t dim) {
        const auto found = known.find({parts, dim});
        if (found != known.end()) return found->second;
        return known[{parts, dim}] = cutOrOperation(parts, dim);
    }

    WholePtr cutOrOperation(const Regs& parts, std::int64_t dim) {
        if (const std::optional<Cut> cut = wholeCut(parts, dim)) {
            WholePtr whole = std::make_shared<Whole>();
            whole->cut = *cut;
            return whole;
        }
        std::vector<const Instr*> makers;
        for (Reg part : parts) {
            makers.push_back(facts.makers[part]);
            if (!makers.back() || makers.back()->op != Op::Tensor || !typeOf(part) ||
                !areAlike(*makers[0], *makers.back()) || !fit(part, parts[0], dim))
                return nullptr;
        }
        WholePtr whole = std::make_shared<Whole>();
        whole->like = makers[0];
        whole->dims = typeOf(parts[0])->dims;
        std::int64_t& items = whole->dims[static_cast<std::size_t>(dim)] = 0;
        for (Reg part : parts) items += dimensions.extent(part, dim);
        bool hasParts = false;
        for (std::size_t k = 0; k < makers[0]->operands.size(); ++k) {
            if (k > 0 && tensor::keepsOrder(makers[0]->tensor))
                break;  // dimensions, as they will be
            WholePtr operand = operandOf(makers, k, dim, hasParts);
            if (!operand) return nullptr;
            whole->operands.push_back(std::move(operand));
        }
        if (!hasParts) return nullptr;
        replaced.insert(makers.begin(), makers.end());
        return whole;
    }

    WholePtr operandOf(const std::vector<const Instr*>& makers, std::size_t k, std::int64_t dim,
                       bool& hasParts) {
        const Instr& first = *makers[0];
        Regs operands;
        for (const Instr* maker : makers) operands.push_back(maker->operands[k]);
        const bool isSame = std::all_of(operands.begin(), operands.end(),
                                        [&](Reg each) { return isEqual(each, operands[0]); });
        const std::optional<std::int64_t> own = dimensions.operand(first, k, dim, isSame);
        if (!own && !isSame) return nullptr;
        if (!own) {
            WholePtr whole = std::make_shared<Whole>();
            whole->shared = operands[0];
            return whole;
        }
        for (const Instr* maker : makers)
            if (!tensor::keepsOrder(first.tensor) && dimensions.extent(maker->operands[k], *own) !=
                                                         dimensions.extent(maker->result, dim))
                return nullptr;
        hasParts = true;
        return wholeOf(operands, *own);
    }

    static bool areAlike(const Instr& a, const Instr& b) {
        return a.tensor == b.tensor && a.math == b.math && a.type == b.type &&
               a.operands.size() == b.operands.size();
    }

    /// In all dimensions but that one.
    bool fit(Reg a, Reg b, std::int64_t dim) const {
        std::vector<std::int64_t> dims = typeOf(a)->dims;
        if (dims.size() != typeOf(b)->dims.size()) return false;
        dims[static_cast<std::size_t>(dim)] = dimensions.extent(b, dim);
        return dims == typeOf(b)->dims;
    }

    bool isEqual(Reg a, Reg b) const {
        return a == b || (facts.constants[a] && facts.constants[a] == facts.constants[b]);
    }

    // ---- cuts

    std::optional<Cut> cutOf(Reg part, std::int64_t dim) const {
        const Instr* maker = facts.makers[part];
        if (!maker || maker->op != Op::Tensor || maker->tensor != TensorFn::Slice ||
            !typeOf(part) || !typeOf(maker->operands[0]))
            return std::nullopt;
        for (std::size_t k = 1; k < maker->operands.size(); ++k)
            if (!facts.constants[maker->operands[k]]) return std::nullopt;
        const bool isEach =
            maker->operands.size() == 4 || dimensions.isNumber(maker->operands[4], 1);
        const std::int64_t from = facts.constants[maker->operands[2]]->toInt();
        if (!isEach || from < 0 ||
            dimensions.dimension(maker->operands[1], dimensions.rankOf(part)) != dim)
            return std::nullopt;
        return Cut{maker->operands[0], dim, from, from + dimensions.extent(part, dim)};
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

    Reg emitWhole(Whole& whole) {
        if (whole.made == ir::kNone) whole.made = emitNow(whole);
        return whole.made;
    }

    Reg emitNow(const Whole& whole) {
        if (whole.shared != ir::kNone) return whole.shared;
        if (!whole.like) {
            const Cut& cut = whole.cut;
            if (cut.from == 0 && cut.to == dimensions.extent(cut.of, cut.dim)) return cut.of;
            return emitTo(TensorFn::Slice, cut.of, {cut.dim, cut.from, cut.to});
        }
        Regs operands;
        for (const WholePtr& operand : whole.operands) operands.push_back(emitWhole(*operand));
        if (tensor::keepsOrder(whole.like->tensor))
            return emitTo(TensorFn::Reshape, operands[0], whole.dims);
        return emitLike(*whole.like, std::move(operands));
    }

    const DimensionMap dimensions;
    std::vector<bool> isInner;  ///< by register: a part of what a larger concat puts together
    std::map<std::pair<Regs, std::int64_t>, WholePtr> known;  ///< by parts and their dimension
    std::set<const Instr*> replaced;
};

}  // namespace

bool coalesceParts(const pass::Context& context, elab::Kernel& kernel) {
    bool changes = false;
    while (Coalescer(kernel, context.types).run()) changes = true;
    return changes;
}

}  // namespace strc::opt
