#include "tensor/expand.h"

#include <algorithm>
#include <map>

#include "base/assert.h"
#include "tensor/elements.h"

namespace strc::tensor {
namespace {

using ir::BlockId;
using ir::Body;
using ir::Instr;
using ir::Op;
using ir::Reg;
using ir::Space;
using ir::VarRef;
using types::TensorFn;
using types::TypeKind;

bool isTensor(const Type* type) { return type && type->is(TypeKind::Tensor); }

/// Thrown from deep inside of a body; caught by `expand…`.
struct Stop {
    Fault fault;
};

/// What a body sees of the world around it.
struct World {
    const Sequence& input;
    const Type* inputStorage = nullptr;  ///< null: the items are no tensors
    const Type* outputStorage = nullptr;  ///< null: not known yet
    Sequence& fields;
    Sequence& output;  ///< pushed so far
    std::map<std::uint32_t, const Type*>&
        declared;  ///< fields: what is known by their declarations
    bool areFieldsKnown = false;  ///< setup and init are done
    bool isOutputRegular = true;  ///< nothing was pushed where the count depends on the run
};

class BodyExpander {
public:
    BodyExpander(const ir::StreamCode& code, const Body& from, World& world,
                 types::TypeTable& types)
        : code(code), from(from), world(world), types(types), w(types), elements(w) {}

    Body expand() {
        Body& to = w.body;
        to.name = from.name;
        to.kind = from.kind;
        to.params = from.params;
        to.result = from.result;
        to.creates = from.creates;
        to.sends = from.sends;
        to.rates = from.rates;
        to.range = from.range;
        to.header = from.header;
        to.locals = from.locals;
        for (ir::Variable& local : to.locals)
            if (isTensor(local.type)) local.type = types.intType();  // nobody uses it
        regs.assign(from.regs.size(), ir::kNone);
        nodes.resize(from.regs.size());
        constants.resize(from.regs.size());
        countUses();
        expandBlock(from.entry);
        return std::move(w.body);
    }

private:
    /// What a tensor variable holds at the place in the code that has been reached.
    struct Binding {
        NodePtr value;  ///< memory; null: nothing yet
        const Type* declared = nullptr;  ///< what is known of the type by its declaration
    };

    [[noreturn]] void stop(const Instr& instr, std::string why) {
        throw Stop{{false, describe(instr), std::move(why), instr.range}};
    }
    [[noreturn]] void stop(const Instr& instr, std::string subject, std::string why) {
        throw Stop{{false, std::move(subject), std::move(why), instr.range}};
    }
    [[noreturn]] void stopUnknown(const Instr& instr, std::string what) {
        throw Stop{{true, std::move(what), {}, instr.range}};
    }

    static std::string describe(const Instr& instr) {
        switch (instr.op) {
            case Op::Tensor: {
                const bool isMath = instr.math != types::MathFn::Count;
                return "'" +
                       std::string(isMath ? types::name(instr.math)
                                          : types::info(instr.tensor).name) +
                       "'";
            }
            case Op::Push: return "'push'";
            case Op::Pop: return "'pop'";
            case Op::Peek: return "'peek'";
            default: return "a value";
        }
    }

    // ---- walking

    void countUses() {
        uses.assign(from.regs.size(), 0);
        for (const ir::Block& block : from.blocks)
            for (const Instr& instr : block.instrs)
                for (Reg operand : instr.operands) ++uses[operand];
    }

    void expandBlock(BlockId id) {
        for (const Instr& instr : from.blocks[id].instrs) {
            w.range = instr.range;
            expandInstr(instr);
            for (Reg operand : instr.operands) --uses[operand];
        }
    }

    void expandInstr(const Instr& instr) {
        switch (instr.op) {
            case Op::Tensor: return operation(instr);
            case Op::If:
            case Op::Loop: return control(instr);
            case Op::Load:
                if (isTensor(instr.type)) return load(instr);
                break;
            case Op::Store:
                if (isTensor(instr.type)) return store(instr);
                break;
            case Op::Declare:
                if (isTensor(variableType(instr.var))) return declare(instr);
                break;
            case Op::Pop:
            case Op::Peek:
                if (world.inputStorage) return take(instr);
                break;
            case Op::Discard:
                if (world.inputStorage) return discard(instr);
                break;
            case Op::Push:
                if (isTensor(instr.type)) return push(instr);
                break;
            case Op::Convert:
                if (isTensor(instr.type)) return define(instr, nodeOf(instr, 0));
                break;
            case Op::Yield:
                if (isTensor(from.regs[instr.operands[0]].type)) return yield(instr);
                break;
            case Op::Print:
                if (isTensor(instr.type))
                    stop(instr, "a tensor cannot be printed in compiled code yet");
                break;
            case Op::Call: settle(); break;
            default: break;
        }
        copyInstr(instr);
    }

    const Type* variableType(VarRef var) const {
        if (var.space == Space::Local) return from.locals[var.index].type;
        return var.space == Space::Field ? code.fields[var.index].type : nullptr;
    }

    void copyInstr(const Instr& instr) {
        Instr made = instr;
        for (Reg& operand : made.operands) {
            STRC_ASSERT(regs[operand] != ir::kNone, "a tensor where a scalar is expected");
            operand = regs[operand];
        }
        w.body.blocks[w.block].instrs.push_back(std::move(made));
        if (instr.result == ir::kNone) return;
        const ir::RegInfo& info = from.regs[instr.result];
        regs[instr.result] = w.result(info.type, info.ref);
        if (instr.op == Op::Const && !instr.type->isAggregate())
            constants[instr.result] = instr.value;
    }

    // ---- branches and loops

    void storedIn(BlockId id, std::vector<VarRef>& found) const {
        if (id == ir::kNone) return;
        for (const Instr& instr : from.blocks[id].instrs) {
            const bool changes = (instr.op == Op::Store && isTensor(instr.type)) ||
                                 (instr.op == Op::Declare && isTensor(variableType(instr.var)));
            if (changes) found.push_back(instr.var);
            for (BlockId block : instr.blocks) storedIn(block, found);
        }
    }

    /// Variables that are changed inside get a place of their own before, in which all of it works.
    void control(const Instr& instr) {
        settle();
        std::vector<VarRef> stored;
        for (BlockId block : instr.blocks) storedIn(block, stored);
        std::vector<VarRef> entered;
        for (VarRef var : stored)
            if (var.space == Space::Local && fixed.try_emplace(key(var), nullptr).second) {
                entered.push_back(var);
                if (NodePtr value = bindings[key(var)].value) fix(var, value);
            }
        const NodePtr outside = result;
        result = nullptr;
        std::array<BlockId, 3> blocks{ir::kNone, ir::kNone, ir::kNone};
        ++depth;
        for (std::size_t k = 0; k < 3; ++k)
            if (instr.blocks[k] != ir::kNone)
                blocks[k] = w.inBlock([&] { inside(instr.blocks[k]); });
        --depth;
        w.range = instr.range;
        const bool givesTensor =
            instr.result != ir::kNone && isTensor(from.regs[instr.result].type);
        emitControl(instr, blocks, givesTensor);
        if (givesTensor) define(instr, result);
        result = outside;
        for (VarRef var : entered) {
            NodePtr place = fixed[key(var)];
            if (place) bindings[key(var)].value = place;
            fixed.erase(key(var));
        }
    }

    void inside(BlockId id) {
        expandBlock(id);
        settle();
    }

    void emitControl(const Instr& instr, const std::array<BlockId, 3>& blocks, bool givesTensor) {
        Instr made = instr;
        made.blocks = blocks;
        for (Reg& operand : made.operands) operand = regs[operand];
        if (givesTensor) {
            made.result = ir::kNone;
            made.type = nullptr;
        }
        w.body.blocks[w.block].instrs.push_back(std::move(made));
        if (instr.result == ir::kNone || givesTensor) return;
        regs[instr.result] = w.result(from.regs[instr.result].type, false);
    }

    /// The value of a branch goes to memory that both share; an `if` without a result stays.
    void yield(const Instr& instr) {
        const NodePtr value = nodeOf(instr, 0);
        if (!result) {
            w.body.locals.push_back({"", storageOf(value->type, types), instr.range});
            const VarRef var{Space::Local, static_cast<std::uint32_t>(w.body.locals.size() - 1)};
            result = memory(value->type, var, w.body.locals.back().type);
        }
        if (result->type != value->type)
            stop(instr, "one branch gives " + types::toString(result->type) + ", the other " +
                            types::toString(value->type));
        elements.computeInto(value, result->var, result->array);
    }

    // ---- values that are still to be computed

    NodePtr nodeOf(const Instr& instr, std::size_t k) const { return nodes[instr.operands[k]]; }

    void define(const Instr& instr, NodePtr node) {
        nodes[instr.result] = std::move(node);
        if (uses[instr.result] > 0) live.push_back(instr.result);
    }

    /// Gives all that will still be used memory of its own: what it is made of may change.
    void settle() {
        forEachLive([&](NodePtr& node) {
            materialise(node);
            if (node->kind == NodeKind::Memory && !isLasting(*node)) copy(node);
        });
    }

    template <typename Visit>
    void forEachLive(Visit visit) {
        std::erase_if(live, [&](Reg reg) { return uses[reg] <= 0; });
        for (Reg reg : live) visit(nodes[reg]);
    }

    /// The node itself becomes memory, for all who hold it.
    void materialise(const NodePtr& node) {
        if (node->kind != NodeKind::Operation) return;
        const NodePtr place = elements.compute(node, "");
        *node = *place;
    }

    void copy(const NodePtr& node) { *node = *elements.compute(std::make_shared<Node>(*node), ""); }

    /// Before `var` changes: who still needs its value gets a copy.
    void release(VarRef var) {
        forEachLive([&](NodePtr& node) {
            if (node->kind == NodeKind::Operation && reads(*node, var)) {
                materialise(node);
            } else if (node->kind == NodeKind::Memory && node->var == var) {
                copy(node);
            }
        });
    }

    // ---- variables

    static std::pair<int, std::uint32_t> key(VarRef var) {
        return {static_cast<int>(var.space), var.index};
    }

    std::string nameOf(VarRef var) const {
        return "'" +
               (var.space == Space::Local ? from.locals[var.index].name
                                          : code.fields[var.index].name) +
               "'";
    }

    void declare(const Instr& instr) {
        const Type* type = variableType(instr.var);
        std::vector<std::int64_t> dims;
        for (Reg operand : instr.operands) {
            if (!constants[operand]) stopUnknown(instr, "a dimension of " + nameOf(instr.var));
            dims.push_back(constants[operand]->toInt());
        }
        const Type* declared = dims.empty() ? type : types.tensor(type->element, dims);
        if (instr.var.space == Space::Field) {
            if (isConcrete(declared)) world.fields[instr.var.index] = declared;
            world.declared[instr.var.index] = declared;
            Instr made = instr;  // the memory, all zero
            made.operands.clear();
            w.body.blocks[w.block].instrs.push_back(std::move(made));
            return;
        }
        Binding& binding = bindings[key(instr.var)];
        binding = {nullptr, declared};
        if (!isConcrete(declared)) return;
        auto zeros = std::make_shared<Node>();
        zeros->type = declared;
        zeros->fn = TensorFn::Zeros;
        zeros->range = instr.range;
        bind(instr.var, zeros);
    }

    NodePtr field(const Instr& instr) {
        const Type* type = world.fields[instr.var.index];
        if (!type)
            stopUnknown(instr,
                        "the shape of field " + nameOf(instr.var) + ", which has no value yet,");
        return memory(type, instr.var, storageOf(type, types));
    }

    void load(const Instr& instr) {
        if (instr.var.space == Space::Field) return define(instr, field(instr));
        const NodePtr value = bindings[key(instr.var)].value;
        if (!value)
            stopUnknown(instr, "the shape of " + nameOf(instr.var) + ", which has no value yet,");
        define(instr, std::make_shared<Node>(*value));
    }

    void store(const Instr& instr) {
        const NodePtr value = nodeOf(instr, 0);
        checkComputable(instr, value->type);
        if (instr.var.space == Space::Field) return storeField(instr, value);
        const Type* declared = bindings[key(instr.var)].declared;
        checkDeclared(instr, declared, value->type);
        bind(instr.var, value, &instr);
    }

    void checkDeclared(const Instr& instr, const Type* declared, const Type* type) {
        if (declared && !types::compatible(declared, type))
            stop(instr, nameOf(instr.var),
                 "it is declared as " + types::toString(declared) + " and gets " +
                     types::toString(type));
    }

    void storeField(const Instr& instr, const NodePtr& value) {
        const Type*& type = world.fields[instr.var.index];
        auto declared = world.declared.find(instr.var.index);
        if (declared != world.declared.end()) checkDeclared(instr, declared->second, value->type);
        if (!type && world.areFieldsKnown)
            stopUnknown(instr, "the shape of field " + nameOf(instr.var) +
                                   ", which neither its declaration nor init gives,");
        if (!type) type = value->type;
        if (type != value->type)
            stop(instr, nameOf(instr.var),
                 "the field is " + types::toString(type) + " and cannot become " +
                     types::toString(value->type));
        overwrite(instr.var, storageOf(type, types), value);
    }

    /// Writes memory that `value` may be made of.
    void overwrite(VarRef var, const Type* array, NodePtr value) {
        release(var);
        if (value->kind == NodeKind::Memory && value->var == var) return;
        if (value->kind == NodeKind::Operation && reads(*value, var))
            value = elements.compute(value, "");
        elements.computeInto(value, var, array);
    }

    void bind(VarRef var, const NodePtr& value, const Instr* instr = nullptr) {
        auto place = fixed.find(key(var));
        if (place == fixed.end()) {
            materialise(value);
            bindings[key(var)].value = isLasting(*value) ? value : elements.compute(value, "");
            return;
        }
        if (!place->second) {
            fix(var, value);
        } else if (place->second->type != value->type) {
            if (instr)
                stop(*instr, nameOf(var),
                     "it is " + types::toString(place->second->type) +
                         " in one round or branch and " + types::toString(value->type) +
                         " in another");
        } else {
            overwrite(place->second->var, place->second->array, value);
        }
        bindings[key(var)].value = place->second;
    }

    /// Memory that nobody will write again.
    bool isLasting(const Node& node) const {
        if (node.kind != NodeKind::Memory || node.var.space != Space::Local) return false;
        return std::none_of(fixed.begin(), fixed.end(), [&](const auto& entry) {
            return entry.second && entry.second->var == node.var;
        });
    }

    /// Gives a variable the place that it keeps in the control structure at hand.
    void fix(VarRef var, const NodePtr& value) {
        const NodePtr place =
            elements.compute(std::make_shared<Node>(*value), from.locals[var.index].name);
        fixed[key(var)] = place;
        bindings[key(var)].value = place;
    }

    // ---- operations

    void checkComputable(const Instr& instr, const Type* type) {
        if (!isComputable(type->element))
            stop(instr, "elements of type " + types::toString(type->element) +
                            " cannot be computed with yet");
    }

    void operation(const Instr& instr) {
        std::vector<Operand> operands;
        for (Reg reg : instr.operands)
            operands.push_back({nodes[reg] ? nodes[reg]->type : scalarType(reg), constants[reg]});
        const Shaped shaped = resultOf(instr, operands, types);
        if (!shaped.type) stop(instr, shaped.why);
        switch (instr.tensor) {
            case TensorFn::Size: {
                const Node& of = *nodeOf(instr, 0);
                const auto at = dimension(constants[instr.operands[1]]->toInt(), of.dims().size());
                return setInt(instr, of.dims()[*at]);
            }
            case TensorFn::Read:
            case TensorFn::Item: return read(instr);
            case TensorFn::FromScalar: return fromScalar(instr, shaped.type);
            case TensorFn::FromArray: return fromArray(instr, shaped.type);
            default: break;
        }
        checkComputable(instr, shaped.type);
        define(instr, build(instr, shaped.type));
    }

    const Type* scalarType(Reg reg) const { return from.regs[reg].type; }

    NodePtr build(const Instr& instr, const Type* type) {
        auto node = std::make_shared<Node>();
        node->type = type;
        node->fn = instr.tensor;
        node->math = instr.math;
        node->range = instr.range;
        for (std::size_t k = 0; k < instr.operands.size(); ++k) {
            const Reg reg = instr.operands[k];
            if (nodes[reg])
                node->operands.push_back(nodes[reg]);
            else if (instr.tensor == TensorFn::Full && k == 0)
                node->operands.push_back(
                    number(types.tensor(type->element, {}), elementReg(instr)));
            else if (constants[reg])
                node->ints.push_back(constants[reg]->toInt());
        }
        normalise(*node);
        if (node->fn == TensorFn::Softmax || node->fn == TensorFn::LogSoftmax)
            return softmax(instr, *node);
        prepareOperands(*node);
        const bool isOften = uses[instr.result] > 1 && !(isView(node->fn) && readsMemory(*node));
        if (isOften || node->fn == TensorFn::Concat) materialise(node);
        return node;
    }

    static bool readsMemory(const Node& view) {
        const NodePtr& operand = view.operands[0];
        return operand->kind != NodeKind::Operation ||
               (isView(operand->fn) && readsMemory(*operand));
    }

    /// Dimensions counted from the end become ordinary ones.
    static void normalise(Node& node) {
        auto fit = [&](std::size_t k, std::size_t rank) {
            if (k < node.ints.size())
                node.ints[k] = static_cast<std::int64_t>(*dimension(node.ints[k], rank));
        };
        const std::size_t rank = node.operands.empty() ? 0 : node.operands[0]->dims().size();
        switch (node.fn) {
            case TensorFn::Sum:
            case TensorFn::Mean:
            case TensorFn::Amax:
            case TensorFn::Amin:
            case TensorFn::Argmax:
            case TensorFn::Slice:
            case TensorFn::Concat: return fit(0, rank);
            case TensorFn::Softmax:
            case TensorFn::LogSoftmax:
                if (node.ints.empty()) node.ints.push_back(static_cast<std::int64_t>(rank) - 1);
                return fit(0, rank);
            case TensorFn::Transpose: fit(0, rank); return fit(1, rank);
            case TensorFn::Permute:
                for (std::size_t k = 0; k < rank; ++k) fit(k, rank);
                return;
            default: return;
        }
    }

    /// What is read more often than it has elements, or out of order, is computed before.
    void prepareOperands(const Node& node) {
        for (const NodePtr& operand : node.operands) {
            if (operand->kind != NodeKind::Operation) continue;
            const bool isLookedAt = isView(operand->fn) && readsMemory(*operand);
            if (isLookedAt && !keepsOrder(node.fn)) continue;
            const bool isRepeated = node.fn == TensorFn::Matmul ||
                                    (isElementwise(node.fn) && operand->count() != node.count()) ||
                                    node.fn == TensorFn::Broadcast || node.fn == TensorFn::Amax ||
                                    node.fn == TensorFn::Amin || node.fn == TensorFn::Argmax;
            const bool isMoved = keepsOrder(node.fn) && !isInOrder(*operand);
            if (isRepeated || isMoved) materialise(operand);
        }
    }

    /// Can be computed element after element as it lies in memory.
    static bool isInOrder(const Node& node) {
        if (node.kind != NodeKind::Operation) return true;
        if (node.fn == TensorFn::Zeros || node.fn == TensorFn::Ones || node.fn == TensorFn::Full)
            return true;
        if (!keepsOrder(node.fn) && !isElementwise(node.fn)) return false;
        return std::all_of(node.operands.begin(), node.operands.end(), [&](const NodePtr& operand) {
            return operand->kind == NodeKind::Number ||
                   (operand->count() == node.count() && isInOrder(*operand));
        });
    }

    NodePtr make(TensorFn fn, const Type* type, std::vector<NodePtr> operands,
                 std::vector<std::int64_t> ints, base::SourceRange range) {
        auto node = std::make_shared<Node>();
        node->type = type;
        node->fn = fn;
        node->operands = std::move(operands);
        node->ints = std::move(ints);
        node->range = range;
        return node;
    }

    /// exp(x - amax(x)) / sum(exp(x - amax(x))), and its logarithm.
    NodePtr softmax(const Instr& instr, const Node& node) {
        const base::SourceRange range = instr.range;
        const NodePtr& x = node.operands[0];
        const Type* type = node.type;
        Dims one = x->dims();
        one[static_cast<std::size_t>(node.ints[0])] = 1;
        const Type* single = types.tensor(type->element, one);
        const std::vector<std::int64_t> over{node.ints[0], 1};
        materialise(x);
        const NodePtr most =
            make(TensorFn::Amax, types.tensor(x->type->element, one), {x}, over, range);
        materialise(most);
        const NodePtr shifted = make(TensorFn::Sub, type, {x, most}, {}, range);
        auto exp = [&](const NodePtr& of) {
            NodePtr made = make(TensorFn::Math, of->type, {of}, {}, range);
            made->math = types::MathFn::Exp;
            return made;
        };
        const NodePtr powers = exp(shifted);
        if (node.fn == TensorFn::Softmax) materialise(powers);
        const NodePtr total = make(TensorFn::Sum, single, {powers}, over, range);
        materialise(total);
        if (node.fn == TensorFn::Softmax)
            return make(TensorFn::Div, type, {powers, total}, {}, range);
        const NodePtr logarithm = make(TensorFn::Math, single, {total}, {}, range);
        logarithm->math = types::MathFn::Log;
        materialise(logarithm);
        return make(TensorFn::Sub, type, {shifted, logarithm}, {}, range);
    }

    // ---- between tensors and scalars

    void setInt(const Instr& instr, std::int64_t value) {
        regs[instr.result] = w.integer(value);
        constants[instr.result] = Value::of(types.intType(), static_cast<std::int32_t>(value));
    }

    /// The scalar operand as an element: a bit as an int.
    Reg elementReg(const Instr& instr) {
        const Reg reg = regs[instr.operands[0]];
        const bool isBit = scalarType(instr.operands[0])->is(TypeKind::Bit);
        return isBit ? w.operation(Op::Convert, types.intType(), {reg}) : reg;
    }

    void fromScalar(const Instr& instr, const Type* type) {
        define(instr, number(type, elementReg(instr)));
    }

    /// The array may change afterwards: a copy.
    void fromArray(const Instr& instr, const Type* type) {
        checkComputable(instr, type);
        const Type* storage = storageOf(type, types);
        const std::uint32_t local = w.local("", storage);
        const Reg array = regs[instr.operands[0]];
        const NodePtr place = memory(type, {Space::Local, local}, storage);
        Reg row = array;
        copyRows(row, w.body.regs[array].type, {}, *place);
        define(instr, place);
    }

    void copyRows(Reg ref, const Type* type, Place place, const Node& to) {
        if (!type->is(TypeKind::Array)) {
            Reg value = w.operation(Op::LoadAt, type, {ref});
            if (type->is(TypeKind::Bit)) value = w.operation(Op::Convert, types.intType(), {value});
            return elements.store(to, place, value);
        }
        w.loop(type->extent, [&](Reg i) {
            Place inner = place;
            inner.push_back({0, i});
            copyRows(w.reference(ref, i), type->element, inner, to);
        });
    }

    void read(const Instr& instr) {
        const NodePtr node = nodeOf(instr, 0);
        const bool isLookedAt =
            node->kind != NodeKind::Operation || (isView(node->fn) && readsMemory(*node));
        if (!isLookedAt) materialise(node);
        Place place;
        for (std::size_t k = 1; k < instr.operands.size(); ++k) {
            const Reg reg = instr.operands[k];
            if (constants[reg]) {
                place.push_back({constants[reg]->toInt(), ir::kNone});
                continue;
            }
            checkIndex(regs[reg], node->dims()[k - 1]);
            place.push_back({0, regs[reg]});
        }
        if (instr.tensor == TensorFn::Item) place.resize(node->dims().size());
        const Reg value = elements.element(node, place);
        regs[instr.result] = value;
        STRC_ASSERT(w.body.regs[value].type == instr.type, "an element of another type");
    }

    /// Traps unless the index lies in the extent: as an element of an array that has no memory does.
    void checkIndex(Reg index, std::int64_t extent) {
        const Type* nothing = types.array(types.bit(), 0);
        const std::uint32_t local = w.local("", types.array(nothing, extent));
        const Reg array = w.address(local);
        w.emit(Op::Elem, nothing, {array, index, w.integer(extent)});
        w.result(nothing, true);
    }

    // ---- items

    const Type* arriving(const Instr& instr, std::int64_t offset) {
        const auto period = static_cast<std::int64_t>(world.input.size());
        if (period == 1) return world.input[0];
        if (depth > 0 || offset < 0)
            stop(instr,
                 "the items that arrive are of different types, and which of them this takes "
                 "depends on the run");
        return world.input[static_cast<std::size_t>((popped + offset) % period)];
    }

    void take(const Instr& instr) {
        std::int64_t offset = 0;
        if (instr.op == Op::Peek) {
            const auto& known = constants[instr.operands[0]];
            offset = known ? known->toInt() : -1;
        }
        const Type* type = arriving(instr, offset);
        checkComputable(instr, type);
        const std::uint32_t local = w.local("", world.inputStorage);
        const Reg to = w.address(local);
        if (instr.op == Op::Pop)
            w.emit(Op::PopInto, world.inputStorage, {to});
        else
            w.emit(Op::PeekInto, world.inputStorage, {to, regs[instr.operands[0]]});
        w.body.blocks[w.block].instrs.back().checked = instr.checked;
        if (instr.op == Op::Pop) ++popped;
        define(instr, memory(type, {Space::Local, local}, world.inputStorage));
    }

    void discard(const Instr& instr) {
        Instr made = instr;
        made.type = world.inputStorage;
        w.body.blocks[w.block].instrs.push_back(std::move(made));
        ++popped;
    }

    void push(const Instr& instr) {
        const NodePtr value = nodeOf(instr, 0);
        checkComputable(instr, value->type);
        world.output.push_back(value->type);
        if (depth > 0) world.isOutputRegular = false;
        const Type* storage = world.outputStorage;
        if (!storage) storage = storageOf(value->type, types);  // the first time, to see the types
        VarRef var = value->var;
        if (value->kind != NodeKind::Memory || value->array != storage) {
            var = {Space::Local, w.local("", storage)};
            elements.computeInto(value, var, storage);
        }
        const Reg ref = w.address(var, storage);
        w.emit(Op::PushFrom, storage, {ref}).checked = instr.checked;
    }

    const ir::StreamCode& code;
    const Body& from;
    World& world;
    types::TypeTable& types;
    ir::Writer w;
    Elements elements;
    std::vector<Reg> regs;  ///< of `from` -> of the body that is made; kNone for tensors
    std::vector<NodePtr> nodes;  ///< by register of `from`
    std::vector<std::optional<Value>> constants;  ///< by register of `from`
    std::vector<int> uses;  ///< that are still to come
    std::vector<Reg> live;  ///< tensors that may still be used
    std::map<std::pair<int, std::uint32_t>, Binding> bindings;
    /// Variables that keep their place in the control structure at hand; null: not written yet.
    std::map<std::pair<int, std::uint32_t>, NodePtr> fixed;
    NodePtr result;  ///< where the branches of a conditional put their values
    int depth = 0;  ///< of control structures
    std::int64_t popped = 0;
};

template <typename Visit>
void forEachBody(ir::StreamCode& code, Visit visit) {
    for (std::optional<Body>* body : {&code.prework, &code.work})
        if (*body) visit(**body);
    for (Body& function : code.functions) visit(function);
}

bool hasTensors(const Body& body) {
    auto isOne = [](const auto& entry) { return isTensor(entry.type); };
    return std::any_of(body.regs.begin(), body.regs.end(), isOne) ||
           std::any_of(body.locals.begin(), body.locals.end(), isOne);
}

bool usesTapes(const Body& body) {
    for (const ir::Block& block : body.blocks)
        for (const Instr& instr : block.instrs) switch (instr.op) {
                case Op::Push:
                case Op::Pop:
                case Op::Peek:
                case Op::Discard: return true;
                default: break;
            }
    return false;
}

void retypeFields(ir::StreamCode& code, const Sequence& fields, types::TypeTable& types) {
    for (std::size_t k = 0; k < code.fields.size(); ++k) {
        if (!isTensor(code.fields[k].type)) continue;
        const Type* type = fields[k];
        code.fields[k].type =
            type ? storageOf(type, types) : types.array(types.floatType(), 0);  // never used
    }
}

}  // namespace

bool usesTensors(const ir::StreamCode& code) {
    if (isTensor(code.input) || isTensor(code.output)) return true;
    if (std::any_of(code.fields.begin(), code.fields.end(),
                    [](const ir::Variable& field) { return isTensor(field.type); }))
        return true;
    for (const std::optional<Body>* body : {&code.init, &code.prework, &code.work, &code.body})
        if (*body && hasTensors(**body)) return true;
    return hasTensors(code.setup) ||
           std::any_of(code.functions.begin(), code.functions.end(), hasTensors);
}

bool isComputable(const Type* element) {
    switch (element->kind) {
        case TypeKind::Boolean:
        case TypeKind::Int:
        case TypeKind::Long:
        case TypeKind::Float:
        case TypeKind::Double: return true;
        default: return false;
    }
}

const Type* storageOf(const Type* tensor, types::TypeTable& types) {
    const std::int64_t count = countElements(tensor);
    if (tensor->element->is(TypeKind::Long)) return types.array(types.intType(), 2 * count);
    return types.array(tensor->element, count);
}

const Type* storageOf(const Sequence& items, types::TypeTable& types) {
    const Type* largest = nullptr;
    for (const Type* item : items) {
        const Type* storage = storageOf(item, types);
        if (!largest || storage->extent > largest->extent) largest = storage;
    }
    return largest;
}

std::optional<Fault> expandSetup(ir::StreamCode& code, Sequence& fields, types::TypeTable& types) {
    fields.assign(code.fields.size(), nullptr);
    Sequence none;
    std::map<std::uint32_t, const Type*> declared;
    World world{none, nullptr, nullptr, fields, none, declared};
    try {
        Body setup = BodyExpander(code, code.setup, world, types).expand();
        std::optional<Body> init;
        if (code.init) init = BodyExpander(code, *code.init, world, types).expand();
        for (Body& function : code.functions)
            if (hasTensors(function) && !usesTapes(function))
                function = BodyExpander(code, function, world, types).expand();
        code.setup = std::move(setup);
        code.init = std::move(init);
    } catch (Stop& stop) {
        return std::move(stop.fault);
    }
    retypeFields(code, fields, types);
    return std::nullopt;
}

std::optional<Fault> expandWork(ir::StreamCode& code, const Arriving& arriving, Sequence& output,
                                types::TypeTable& types) {
    Sequence fields = arriving.fields;
    Sequence pushed;
    const Type* inputStorage = arriving.input.empty() ? nullptr : storageOf(arriving.input, types);
    std::map<std::uint32_t, const Type*> declared;
    World world{arriving.input, inputStorage, nullptr, fields, pushed, declared, true};
    try {
        std::size_t fromPrework = 0;
        forEachBody(code, [&](Body& body) {
            BodyExpander(code, body, world, types).expand();
            if (code.prework && &body == &*code.prework) fromPrework = pushed.size();
        });
        const bool areAlike = std::all_of(pushed.begin(), pushed.end(),
                                          [&](const Type* t) { return t == pushed[0]; });
        if (areAlike && !pushed.empty()) pushed.resize(1);
        if (!areAlike && (!world.isOutputRegular || fromPrework != 0 || !code.functions.empty()))
            return Fault{
                false, "'push'",
                "items of different types are pushed, and which comes when depends on the run",
                code.work->header};
        output = pushed;
        if (!output.empty()) world.outputStorage = storageOf(output, types);
        const bool isMixed =
            !output.empty() && std::any_of(output.begin(), output.end(), [&](const Type* t) {
                return storageOf(t, types)->element != world.outputStorage->element;
            });
        if (isMixed)
            return Fault{false, "'push'",
                         "items with different types of elements cannot share a channel yet",
                         code.work->header};
        forEachBody(code,
                    [&](Body& body) { body = BodyExpander(code, body, world, types).expand(); });
    } catch (Stop& stop) {
        return std::move(stop.fault);
    }
    retypeFields(code, fields, types);
    if (inputStorage) code.input = inputStorage;
    if (world.outputStorage) code.output = world.outputStorage;
    return std::nullopt;
}

}  // namespace strc::tensor
