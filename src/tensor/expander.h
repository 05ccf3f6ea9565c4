#pragma once
/// Walks a body in order, with the types of all tensors at hand, and makes the same body without
/// tensors. Private to tensor.

#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tensor/elements.h"
#include "tensor/expansion.h"
#include "tensor/iteration_locals.h"
#include "tensor/operation.h"

namespace strc::tensor {

/// Thrown from deep inside of a body, and caught where an attempt to expand it begins (expand_body.cpp).
struct Stop {
    Fault fault;
};

class BodyExpander {
public:
    BodyExpander(const ir::StreamCode& code, const ir::Body& from, const ExpansionInput& in,
                 ExpansionState& state, types::TypeTable& types, bool unrolls)
        : code(code),
          from(from),
          in(in),
          state(state),
          types(types),
          unrolls(unrolls),
          iterationLocals(from),
          w(types),
          elements(w, in.options.fusesEpilogues, in.options.attendsInBlocks,
                   in.channels.layouts.areValuesLast, in.options.split) {}

    /// Throws Stop.
    ir::Body expand();
    bool hasUnrolled() const { return unrolled; }
    /// Stores the values that fields are known to have behind the body.
    void rememberFields();

private:
    /// The value that a tensor variable has at the instruction that is being expanded.
    struct Binding {
        NodePtr value;  ///< memory; null: nothing yet
        const Type* declared = nullptr;  ///< what is known of the type by its declaration
    };

    [[noreturn]] void stop(const ir::Instr& instr, std::string why) {
        throw Stop{{false, describe(instr), std::move(why), instr.range}};
    }
    [[noreturn]] void stop(const ir::Instr& instr, std::string subject, std::string why) {
        throw Stop{{false, std::move(subject), std::move(why), instr.range}};
    }
    /// Where the program may be right, and only the run can tell.
    [[noreturn]] void stopOfRun(const ir::Instr& instr, std::string subject, std::string why) {
        Stop stop{{false, std::move(subject), std::move(why), instr.range}};
        stop.fault.isOfRun = true;
        throw stop;
    }
    [[noreturn]] void stopUnknown(const ir::Instr& instr, std::string what) {
        throw Stop{{true, std::move(what), {}, instr.range}};
    }

    // ---- walking
    void expandBlock(ir::BlockId id);
    void expandInstr(const ir::Instr& instr);
    const Type* variableType(ir::VarRef var) const;
    void copyInstr(const ir::Instr& instr);

    // ---- what is known when the graph is built
    /// Value of the scalar or array that the result is or refers to.
    void note(const ir::Instr& instr);
    void noteArray(const ir::Instr& instr);
    /// A local array whose extents are known here for the first time gets its concrete type.
    void fixExtents(const ir::Instr& from, ir::Instr& made);
    std::optional<Value> valueOf(const ir::Instr& instr) const;
    std::optional<Value> elementValue(const ir::Instr& instr) const;
    /// A static array of ints, if its values are known and the static item at hand cannot change them.
    std::optional<Value> staticArray(std::uint32_t global) const;
    std::optional<Value> folded(const ir::Instr& instr) const;
    /// Stops unless what it asks for holds.
    void demand(const ir::Instr& instr);
    /// Rounds that require something are written out, even if nothing else asks for it.
    bool makesDemands(const ir::Instr& control) const;
    /// True: the result is a text that is known; who wants it gets it from `scalarReg`.
    bool keepsAsText(const ir::Instr& instr);
    ir::Reg scalarReg(ir::Reg reg);
    bool isFollowed(ir::VarRef var) const;
    const Type* typeOfFollowed(ir::VarRef var) const;
    void forget(const ir::Instr& control);
    void forgetStored(ir::BlockId id);
    /// True: the branch that is taken stands in the block at hand.
    bool takeBranch(const ir::Instr& instr);
    /// True: all iterations stand in the block at hand.
    bool unroll(const ir::Instr& instr);
    bool writeOut(const ir::Instr& loop);
    bool writeOutFew(const ir::Instr& loop);
    void writeIteration(const ir::Instr& loop);
    std::optional<bool> condition(const ir::Instr& loop);
    void registersOf(ir::BlockId id, std::set<ir::Reg>& used, std::set<ir::Reg>& made) const;
    void inlined(ir::BlockId id, ir::Reg result);
    void addUses(ir::BlockId id, int times);
    bool leaves(ir::BlockId id, bool isInLoop) const;
    /// Has operations on tensors, or fills an array that may say a shape.
    bool decidesOnShapes(ir::BlockId id) const;

    // ---- branches and loops
    void storedIn(ir::BlockId id, std::vector<ir::VarRef>& found) const;
    /// Variables that are changed inside get a place of their own before, in which all of it works.
    void control(const ir::Instr& instr);
    void inside(ir::BlockId id);
    void emitControl(const ir::Instr& instr, const std::array<ir::BlockId, 3>& blocks,
                     bool givesTensor);
    /// The value of a branch goes to memory that both share; an `if` without a result stays.
    void yield(const ir::Instr& instr);

    // ---- values that are still to be computed
    NodePtr nodeOf(const ir::Instr& instr, std::size_t k) const { return nodes[instr.operands[k]]; }
    void define(const ir::Instr& instr, NodePtr node);
    /// Gives all that will still be used memory of its own: what it is made of may change.
    void settle();
    template <typename Visit>
    void forEachLive(Visit visit) {
        std::erase_if(live, [&](ir::Reg reg) { return uses[reg] <= 0; });
        for (ir::Reg reg : live) visit(nodes[reg]);
        for (auto& [name, binding] : bindings)
            if (binding.value && binding.value->kind == NodeKind::Operation) visit(binding.value);
    }
    /// The node itself becomes memory, for all who hold it.
    void materialise(const NodePtr& node);
    /// The same, row by row; what lies otherwise is copied.
    void materialiseRowByRow(NodePtr& node);
    void copy(const NodePtr& node) { *node = *elements.compute(std::make_shared<Node>(*node), ""); }
    /// Before `var` changes: who still needs its value gets a copy.
    void release(ir::VarRef var, const Node* except = nullptr);

    // ---- variables
    static std::pair<int, std::uint32_t> key(ir::VarRef var);
    std::string nameOf(ir::VarRef var) const;
    std::string nameOfNative(const ir::Instr& call) const;
    void declare(const ir::Instr& instr);
    NodePtr field(const ir::Instr& instr);
    /// A tensor that static items have made; it is constant from then on.
    NodePtr global(const ir::Instr& instr);
    void load(const ir::Instr& instr);
    void store(const ir::Instr& instr);
    void checkExtents(const ir::Instr& instr, const std::string& name,
                      const std::vector<std::int64_t>& dims);
    bool dividesByZero(ir::Reg reg) const;
    void checkDeclared(const ir::Instr& instr, const Type* declared, const Type* type);
    void storeField(const ir::Instr& instr, const NodePtr& value);
    /// Writes memory that `value` may be made of.
    void overwrite(ir::VarRef var, const Type* array, const NodePtr& value, const Dims& steps = {});
    /// The field lies where the value lies, if that is for ever.
    bool becomesStored(ir::VarRef field, const NodePtr& value);
    void bind(ir::VarRef var, const NodePtr& value, const ir::Instr* instr = nullptr);
    /// A part of such memory, which is read where it is.
    bool isPartInPlace(const Node& node) const;
    /// Is the node memory that will not be written again?
    bool isLasting(const Node& node) const;
    /// Gives a variable the place that it keeps in the control structure at hand.
    void fix(ir::VarRef var, const NodePtr& value);

    // ---- operations
    void checkComputable(const ir::Instr& instr, const Type* type);
    void operation(const ir::Instr& instr);
    /// Also of a ref to an array, whose extents may be known here only.
    const Type* scalarType(ir::Reg reg) const {
        return from.regs[reg].ref ? w.body.regs[regs[reg]].type : from.regs[reg].type;
    }
    /// Arrays of ints as the numbers in them.
    std::vector<Operand> operandsOf(const ir::Instr& instr) const;
    NodePtr build(const ir::Instr& instr, const Type* type);
    void addOperand(Node& node, const ir::Instr& instr, std::size_t k);
    /// A part at a place that is known is a slice; one that is not is checked to lie inside.
    void flatten(Node& node);
    void locate(Node& node);
    static bool readsMemory(const Node& view);
    /// Dimensions counted from the end become ordinary ones.
    static void normalise(Node& node);
    /// False: the operand is read more often than it has elements, or out of order, so it should be computed before.
    bool isFinished(const Node& node, const NodePtr& operand) const;
    void prepareOperands(Node& node);
    /// Can be computed element after element as it lies in memory.
    static bool isInOrder(const Node& node);
    NodePtr make(types::TensorFn fn, const Type* type, std::vector<NodePtr> operands,
                 std::vector<std::int64_t> ints, base::SourceRange range);
    /// exp(x - amax(x)) / sum(exp(x - amax(x))), and its logarithm.
    NodePtr softmax(const ir::Instr& instr, const Node& node);

    // ---- stored values
    void stored(const ir::Instr& instr, const Type* shaped);
    void keepStored(const ir::Instr& instr, const Type*, ir::StoredArray);
    void missing(const ir::Instr& instr, const std::string& name, const Type* wanted,
                 base::Failure why);
    std::string storedName(const ir::Instr& instr);
    const Type* storedType(const ir::Instr& instr, const Type* shaped) const;
    const Type* declaredType(ir::VarRef var) const;

    // ---- between tensors and scalars
    void setInt(const ir::Instr& instr, std::int64_t value);
    /// The scalar operand as an element: a bit as an int.
    ir::Reg elementReg(const ir::Instr& instr);
    void fromScalar(const ir::Instr& instr, const Type* type);
    /// The array may change afterwards: a copy.
    void fromArray(const ir::Instr& instr, const Type* type);
    void copyRows(ir::Reg ref, const Type* type, MultiIndex place, const Node& to);
    void read(const ir::Instr& instr);

    // ---- items
    const Type* arriving(const ir::Instr& instr, std::int64_t offset);
    void take(const ir::Instr& instr);
    void discard(const ir::Instr& instr);
    void push(const ir::Instr& instr);
    /// Between memory of its own and an item that has several arrays.
    ir::Reg fieldFor(ir::VarRef item, const Type* structure, const Type* tensor);
    void copyElements(ir::Reg to, ir::Reg from, std::int64_t count);
    /// To where only its memory counts.
    void handOut(const ir::Instr& instr);
    NodePtr inMemory(const ir::Instr& instr, std::size_t k);

    // ---- calls of native functions
    /// Does it still take or give tensors whose memory nobody has named?
    bool handsTensors(const ir::Instr& instr) const;
    void callNative(const ir::Instr& instr);
    ir::Reg tensorArgument(const ir::Instr& instr, std::size_t k, const Type* declared);
    /// Memory for the result, which the function fills.
    ir::Reg placeResult(const ir::Instr& instr, const Type* declared);

    const ir::StreamCode& code;
    const ir::Body& from;
    const ExpansionInput& in;
    ExpansionState& state;
    types::TypeTable& types;
    const bool unrolls;
    IterationLocals iterationLocals;
    ir::Writer w;
    Elements elements;
    std::vector<ir::Reg> regs;  ///< of `from` -> of the body that is made; kNone for tensors
    std::vector<NodePtr> nodes;  ///< by register of `from`
    std::vector<std::optional<Value>> constants;  ///< by register, too; of a ref, what is there
    KnownVariables known;
    /// Where a ref to an item of a small array points.
    struct ElementRef {
        KnownVariables::Key variable;
        std::int64_t item = 0;
    };
    std::map<ir::Reg, ElementRef> elementRefs;
    std::vector<int> uses;  ///< that are still to come
    std::vector<ir::Reg> live;  ///< tensors that may still be used
    std::map<std::pair<int, std::uint32_t>, Binding> bindings;
    /// Variables that keep their place in the control structure at hand; null: not written yet.
    std::map<std::pair<int, std::uint32_t>, NodePtr> fixed;
    NodePtr result;  ///< where the branches of a conditional put their values
    int depth = 0;  ///< of control structures
    std::int64_t popped = 0;
    bool unrolled = false;
};

}  // namespace strc::tensor
