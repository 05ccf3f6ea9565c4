#pragma once
/// The definitions: code for one element of a tensor, and nests of loops over all. Private to tensor.

#include "ir/contraction.h"
#include "ir/writer.h"
#include "tensor/layout.h"
#include "tensor/storage.h"
#include "types/tensor_split.h"

namespace strc::tensor {

/// A place along one dimension: a number that is known, or a register.
struct Index {
    std::int64_t constant = 0;
    ir::Reg reg = ir::kNone;
    bool isConstant() const { return reg == ir::kNone; }
};
using MultiIndex = std::vector<Index>;

/// The type that elements have in registers: int for int8, float for half and bfloat16.
const Type* registerType(const Type* element, types::TypeTable&);

/// A place in a larger tensor as one in an operand that was broadcast to it: aligned at the last dimensions.
MultiIndex aligned(const Dims& operand, const MultiIndex&);

/// An extent or an offset as the int that the IR computes with; the caller knows that it fits.
inline std::int32_t narrow(std::int64_t value) { return static_cast<std::int32_t>(value); }

class Elements {
public:
    Elements(ir::Writer& writer, bool withEpilogues, bool inBlocks, bool inPreferredOrder,
             const std::optional<types::TensorSplit>& byHand)
        : fusesEpilogues(withEpilogues),
          attendsInBlocks(inBlocks),
          keepsPreferredOrder(inPreferredOrder),
          split(byHand),
          w(writer) {}

    /// Additions and bounds are part of the sum of products before them.
    const bool fusesEpilogues;
    const bool attendsInBlocks;  ///< the pass `attention-blocks`
    const bool keepsPreferredOrder;  ///< of new memory; else all lies row by row
    const std::optional<types::TensorSplit> split;  ///< of large sums of products

    /// New memory with the value, which is computed here; what is copied lies as before.
    NodePtr compute(const NodePtr&, const std::string& name);
    NodePtr computeRowByRow(const NodePtr&);
    /// Computes into memory that begins with the tensor's place. No steps: row by row.
    void computeInto(const NodePtr&, ir::VarRef, const Type* array, const Dims& steps = {});
    /// One element in a register; `place` has an index for each dimension.
    ir::Reg element(const NodePtr&, const MultiIndex&);
    /// Puts an element into memory.
    void store(const Node& memory, const MultiIndex&, ir::Reg value);
    /// Can be computed into a variable that it reads: no element is read after it is written?
    bool isInPlace(const Node&, ir::VarRef) const;
    /// Traps unless the index lies in the extent: as an element of an array that has no memory does.
    void check(ir::Reg index, std::int64_t extent);
    /// `value` is of the type `from` has in registers.
    ir::Reg convert(ir::Reg value, const Type* from, const Type* to);
    ir::Reg at(const Index&);

private:
    using Writing = std::function<void(const MultiIndex&)>;

    // ---- memory
    ir::Reg address(const Node&);
    ir::Reg loadFlat(const Node&, ir::Reg index);
    void storeFlat(ir::Reg array, ir::Reg index, ir::Reg value, const Type* element);
    /// Row by row.
    Index linear(const MultiIndex&, const Dims&);
    Index stepped(const MultiIndex&, const Dims& steps);
    MultiIndex placeOf(const Index& flat, const Dims&);

    // ---- nests
    void nest(const Dims&, const Writing&);
    /// The loops in that order.
    void nest(const Dims&, const Order&, const Writing&);
    void overAll(const Node& from, const MultiIndex& outer, const std::vector<std::size_t>& inner,
                 const Writing&);
    /// Can it go through all elements as they lie in memory with those steps?
    bool isFlat(const Node&, const Dims& steps) const;
    ir::Reg flatElement(const NodePtr&, const Index&);
    /// Elements of an array that a result goes to: the first, and by dimension how far they are apart.
    struct Target {
        ir::VarRef var;
        const Type* array;
        std::int64_t first;
        Dims steps;
    };
    /// Elements of `part`, converted, at the place that `where` makes of theirs.
    void writePart(const NodePtr& part, const Node& whole, const Target&,
                   const std::function<MultiIndex(const MultiIndex&)>& where);
    /// As an Op::Contract with all that is done with the sum, if the operands lie in memory as it takes them; else false.
    bool contract(const Node&, const Target&);
    void contract(const ir::Contraction&, std::vector<ir::Reg> operands);
    static Target permuted(const Node& permutation, Target);
    /// The whole target.
    void assemble(const NodePtr&, const Target&);
    void concatenate(const Node&, const Target&);
    void pad(const Node&, const Target&);
    void surround(const Dims& part, const Dims& first, const Node& whole, const Target&,
                  ir::Reg value);
    void writeAt(const NodePtr& part, const Dims& first, const Node& whole, const Target&);
    void spread(const Node&, const Target&);
    void update(const Node&, const Target&);
    void runningSum(const Node&, ir::Reg array);
    void fill(const Node&, ir::Reg array, ir::Reg value);
    ir::Reg between(ir::Reg value, std::int32_t low, std::int32_t high);

    // ---- operations
    /// What a register has becomes a value of types that memory and operations round to: half, bfloat16 and
    /// int8; others stay.
    ir::Reg rounded(ir::Reg value, const Type* element);
    static bool isRounded(const Type* element);
    ir::Reg roundedReal(ir::Reg real, const Type* element);
    ir::Reg scaleOf(ir::Reg size, const Type* element);
    ir::Reg operation(const Node&, const std::vector<ir::Reg>& operands);
    ir::Reg arithmetic(const Node&, ir::Op, const std::vector<ir::Reg>&);
    ir::Reg comparison(const Node&, ir::Op, const std::vector<ir::Reg>&);
    using Operands = std::vector<ir::Reg>;
    using Definition = std::function<ir::Reg(const Operands&)>;
    /// A function of real numbers: in binary64, rounded once.
    ir::Reg real(const Node&, const Operands&, const Definition&);
    ir::Reg logistic(ir::Reg x);
    /// A function of doubles as the language has it.
    ir::Reg exact(types::MathFn, const Operands&);

    // The column `definition` of types/tensor_functions.def names these. Operands are in registers, each of its element's type.
    ir::Reg add(const Node& node, const Operands& x) { return arithmetic(node, ir::Op::Add, x); }
    ir::Reg subtract(const Node& node, const Operands& x) {
        return arithmetic(node, ir::Op::Sub, x);
    }
    ir::Reg multiply(const Node& node, const Operands& x) {
        return arithmetic(node, ir::Op::Mul, x);
    }
    ir::Reg divide(const Node& node, const Operands& x) { return arithmetic(node, ir::Op::Div, x); }
    ir::Reg equal(const Node& node, const Operands& x) { return comparison(node, ir::Op::Eq, x); }
    ir::Reg unequal(const Node& node, const Operands& x) { return comparison(node, ir::Op::Ne, x); }
    ir::Reg less(const Node& node, const Operands& x) { return comparison(node, ir::Op::Lt, x); }
    ir::Reg lessOrEqual(const Node& node, const Operands& x) {
        return comparison(node, ir::Op::Le, x);
    }
    ir::Reg greater(const Node& node, const Operands& x) { return comparison(node, ir::Op::Gt, x); }
    ir::Reg greaterOrEqual(const Node& node, const Operands& x) {
        return comparison(node, ir::Op::Ge, x);
    }
    ir::Reg negate(const Node&, const Operands&);
    ir::Reg invert(const Node&, const Operands&);
    ir::Reg choose(const Node&, const Operands&);
    ir::Reg cast(const Node&, const Operands&);
    ir::Reg math(const Node&, const Operands&);
    ir::Reg relu(const Node&, const Operands&);
    ir::Reg sigmoid(const Node&, const Operands&);
    ir::Reg gelu(const Node&, const Operands&);
    ir::Reg silu(const Node&, const Operands&);
    ir::Reg mish(const Node&, const Operands&);
    ir::Reg wholeMath(const Node&, const std::vector<ir::Reg>& operands);
    /// The maximum or minimum of real numbers; one that is no number wins.
    ir::Reg better(types::MathFn, ir::Reg, ir::Reg, const Type* registerType);
    /// A step of a sum whose order does not matter.
    ir::Reg relaxedSum(ir::Reg, ir::Reg, const Type* registerType);
    /// A function of a double. If the argument came from a float, the result may be a little off (ir/float_math.h).
    ir::Reg relaxed(types::MathFn, ir::Reg x);
    ir::Reg exponential(ir::Reg x, const Type* registerType);
    ir::Reg real(double value);
    ir::Reg zero(const Type* registerType);
    ir::Reg select(ir::Reg condition, const Type*, const std::function<ir::Reg()>& yes,
                   const std::function<ir::Reg()>& no);
    MultiIndex viewed(const Node&, const MultiIndex&);
    Index scaled(const Index&, std::int64_t factor, std::int64_t offset);
    Index plus(const Index&, const Index&);
    ir::Reg indexOf(ir::Reg value);
    ir::Reg taken(const Node&, const MultiIndex&);
    ir::Reg reduction(const Node&, const MultiIndex&);
    ir::Reg sum(const Node&, const MultiIndex&);
    ir::Reg extreme(const Node&, const MultiIndex&);
    ir::Reg indexOfGreatest(const Node&, const MultiIndex&);
    ir::Reg product(const Node&, const MultiIndex&);
    ir::Reg convolution(const Node&, const MultiIndex&);
    /// `total` += a * b, of the result's type.
    void addProduct(const Node&, std::uint32_t total, const MultiIndex& left,
                    const MultiIndex& right);

    // ---- attention, row by row
    struct Heads;
    void attend(const Node&, ir::Reg array);
    void attendRow(const Heads&, const MultiIndex& outer, const Index& row);
    void scoreRow(const Heads&, const MultiIndex& outer, const Index& row);
    void powersOfRow(const Heads&);
    ir::Reg scaleOfScores(const Node&);
    ir::Reg attended(const Node&, std::size_t operand, const MultiIndex&);
    // ---- and in blocks of rows
    struct Blocks;
    struct Block;
    bool canAttendInBlocks(const Node&) const;
    void attendBlocks(const Node&, ir::Reg array);
    void attendBlock(const Blocks&, const MultiIndex& outer, Block);
    std::uint32_t room(const char* name, const Type*, std::int64_t count);
    void copyRows(const Blocks&, std::size_t operand, const MultiIndex& outer, const Index& first,
                  std::int64_t rows, std::uint32_t to);
    void layOutKeys(const Blocks&, const MultiIndex& outer);
    void powersOfRow(const Blocks&, const Block&, ir::Reg row);
    ir::Reg operandElement(const Node&, std::size_t k, const MultiIndex&);

    ir::Writer& w;
};

}  // namespace strc::tensor
