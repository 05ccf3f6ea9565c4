// Operations, and what leads from tensors to scalars and back.

#include <algorithm>
#include <cstring>

#include "base/assert.h"
#include "tensor/epilogue.h"
#include "tensor/expander.h"

namespace strc::tensor {

using ir::Instr;
using ir::Op;
using ir::Reg;
using ir::Space;
using types::TensorFn;
using types::TypeKind;

namespace {

/// Has operands whose elements go to places of their own, once.
bool isPlaced(TensorFn fn) { return fn == TensorFn::Concat || fn == TensorFn::Pad; }

/// Reads elements of its operands more than once, or not all of them.
bool isReadOften(TensorFn fn) {
    switch (fn) {
        case TensorFn::Matmul:
        case TensorFn::Conv:
        case TensorFn::Attention:
        case TensorFn::Broadcast:
        case TensorFn::Windows:
        case TensorFn::Take:
        case TensorFn::Amax:
        case TensorFn::Amin:
        case TensorFn::Argmax: return true;
        default: return false;
    }
}

std::int32_t listItem(const Value& list, std::int64_t k) {
    std::int32_t item;
    std::memcpy(&item, list.bytes.data() + static_cast<std::size_t>(k) * sizeof item, sizeof item);
    return item;
}

}  // namespace

void BodyExpander::checkComputable(const Instr& instr, const Type* type) {
    if (!isComputable(type->element))
        stop(instr,
             "elements of type " + types::toString(type->element) + " cannot be computed with yet");
}

std::vector<Operand> BodyExpander::operandsOf(const Instr& instr) const {
    std::vector<Operand> operands;
    for (Reg reg : instr.operands) {
        const auto& value = constants[reg];
        const bool isList = instr.tensor != TensorFn::FromArray && from.regs[reg].ref && value;
        if (!isList) {
            operands.push_back({nodes[reg] ? nodes[reg]->type : scalarType(reg), value});
            continue;
        }
        for (std::int64_t k = 0; k < value->type->extent; ++k)
            operands.push_back({types.intType(), Value::of(types.intType(), listItem(*value, k))});
    }
    return operands;
}

void BodyExpander::operation(const Instr& instr) {
    const std::vector<Operand> operands = operandsOf(instr);
    const Shaped shaped = resultOf(instr, operands, types);
    if (shaped.isOfRun) stopOfRun(instr, describe(instr), shaped.why);
    if (!shaped.type) stop(instr, shaped.why);
    switch (instr.tensor) {
        case TensorFn::Size: {
            const Node& of = *nodeOf(instr, 0);
            const auto at = dimension(constants[instr.operands[1]]->toInt(), of.dims().size());
            return setInt(instr, of.dims()[*at]);
        }
        case TensorFn::Rank:
            return setInt(instr, static_cast<std::int64_t>(nodeOf(instr, 0)->dims().size()));
        case TensorFn::Read:
        case TensorFn::Item: return read(instr);
        case TensorFn::FromScalar: return fromScalar(instr, shaped.type);
        case TensorFn::FromArray: return fromArray(instr, shaped.type);
        case TensorFn::Stored: return stored(instr, shaped.type);
        default: break;
    }
    checkComputable(instr, shaped.type);
    define(instr, build(instr, shaped.type));
}

NodePtr BodyExpander::build(const Instr& instr, const Type* type) {
    auto node = std::make_shared<Node>();
    node->type = type;
    node->fn = instr.tensor;
    node->math = instr.math;
    node->range = instr.range;
    for (std::size_t k = 0; k < instr.operands.size(); ++k) addOperand(*node, instr, k);
    normalise(*node);
    locate(*node);
    flatten(*node);
    if (node->fn == TensorFn::Softmax || node->fn == TensorFn::LogSoftmax)
        return softmax(instr, *node);
    prepareOperands(*node);
    const bool isOften = uses[instr.result] > 1 && !(isView(node->fn) && readsMemory(*node));
    if (isOften) materialise(node);
    return node;
}

void BodyExpander::addOperand(Node& node, const Instr& instr, std::size_t k) {
    const Reg reg = instr.operands[k];
    const auto& value = constants[reg];
    const auto count = instr.operands.size();
    const bool isNumber = types::operandAt(types::info(instr.tensor).signature, k, count) == 'r';
    if (nodes[reg]) {
        node.operands.push_back(nodes[reg]);
    } else if ((isNumber && k > 0) ||
               (scalarType(reg)->isReal() && !scalarType(reg)->is(TypeKind::Int))) {
        node.operands.push_back(number(types.tensor(scalarType(reg), {}), regs[reg], value));
    } else if (instr.tensor == TensorFn::Full && k == 0) {
        node.operands.push_back(number(types.tensor(node.type->element, {}), elementReg(instr)));
    } else if (from.regs[reg].ref) {
        for (std::int64_t item = 0; item < value->type->extent; ++item)
            node.ints.push_back(listItem(*value, item));
    } else {
        node.ints.push_back(value ? value->toInt() : 0);
        if (!value) node.start = regs[reg];
    }
}

/// Parts of parts that stand along the same dimension are parts.
void BodyExpander::flatten(Node& node) {
    if (node.fn != TensorFn::Concat) return;
    std::vector<NodePtr> parts;
    for (const NodePtr& operand : node.operands) {
        const bool isSame = operand->kind == NodeKind::Operation &&
                            operand->fn == TensorFn::Concat && operand->ints == node.ints &&
                            operand->type->element == node.type->element;
        if (isSame)
            parts.insert(parts.end(), operand->operands.begin(), operand->operands.end());
        else
            parts.push_back(operand);
    }
    node.operands = std::move(parts);
}

void BodyExpander::locate(Node& node) {
    if (node.fn != TensorFn::Narrow && node.fn != TensorFn::Update) return;
    const bool isPart = node.fn == TensorFn::Narrow;
    const auto dim = static_cast<std::size_t>(node.ints[0]);
    const std::int64_t count = isPart ? node.ints[2] : node.operands[1]->dims()[dim];
    if (!isPart && node.start == ir::kNone && count == node.operands[0]->dims()[dim]) {
        node.fn = TensorFn::Cast;  // nothing of the whole is left but its type
        node.operands.erase(node.operands.begin());
        node.ints.clear();
    } else if (node.start != ir::kNone) {
        elements.check(node.start, node.operands[0]->dims()[dim] - count + 1);
    } else if (isPart) {
        node.fn = TensorFn::Slice;
        node.ints = {node.ints[0], node.ints[1], node.ints[1] + count};
    }
}

bool BodyExpander::readsMemory(const Node& view) {
    const NodePtr& operand = view.operands[0];
    return operand->kind != NodeKind::Operation || (isView(operand->fn) && readsMemory(*operand));
}

void BodyExpander::normalise(Node& node) {
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
        case TensorFn::CumSum:
        case TensorFn::Slice:
        case TensorFn::Narrow:
        case TensorFn::Flip:
        case TensorFn::Windows:
        case TensorFn::Pad:
        case TensorFn::Spread:
        case TensorFn::Update:
        case TensorFn::Take:
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

/// A sum of products, or what is done with it, stays as it is only for what can be done with it as well.
bool BodyExpander::isFinished(const Node& node, const NodePtr& operand) const {
    const Node* sum = operand.get();
    while (sum->kind == NodeKind::Operation && sum->fn == TensorFn::Permute)
        sum = sum->operands[0].get();
    if (sum->kind != NodeKind::Operation || node.fn == TensorFn::Permute) return false;
    if (!isContraction(sum->fn) && !(elements.fusesEpilogues && epilogueOf(*sum))) return false;
    if (!elements.fusesEpilogues) return true;
    const std::optional<Epilogue> epilogue =
        isContraction(node.fn) ? std::nullopt : epilogueOf(node);
    return !epilogue || std::find(epilogue->addends.begin(), epilogue->addends.end(), operand) !=
                            epilogue->addends.end();
}

void BodyExpander::prepareOperands(Node& node) {
    for (NodePtr& operand : node.operands) {
        if (keepsOrder(node.fn) && !isInOrder(*operand)) {
            materialiseRowByRow(operand);
            continue;
        }
        if (operand->kind != NodeKind::Operation) continue;
        const bool isLookedAt = isView(operand->fn) && readsMemory(*operand);
        if (isLookedAt && !keepsOrder(node.fn)) continue;
        if (isPadOfPad(node)) continue;
        const bool isRepeated = isReadOften(node.fn) || isAssembled(operand->fn) ||
                                (isFinished(node, operand) && !isPlaced(node.fn)) ||
                                (isElementwise(node.fn) && operand->count() != node.count());
        if (isRepeated) materialise(operand);
    }
}

bool BodyExpander::isInOrder(const Node& node) {
    if (node.kind != NodeKind::Operation) return node.kind == NodeKind::Number || isRowByRow(node);
    if (isMade(node.fn)) return true;
    if (!keepsOrder(node.fn) && !isElementwise(node.fn)) return false;
    return std::all_of(node.operands.begin(), node.operands.end(), [&](const NodePtr& operand) {
        return operand->kind == NodeKind::Number ||
               (operand->count() == node.count() && isInOrder(*operand));
    });
}

NodePtr BodyExpander::make(TensorFn fn, const Type* type, std::vector<NodePtr> operands,
                           std::vector<std::int64_t> ints, base::SourceRange range) {
    auto node = std::make_shared<Node>();
    node->type = type;
    node->fn = fn;
    node->operands = std::move(operands);
    node->ints = std::move(ints);
    node->range = range;
    return node;
}

NodePtr BodyExpander::softmax(const Instr& instr, const Node& node) {
    const base::SourceRange range = instr.range;
    const Type* type = node.type;
    if (const Type* wide = registerType(type->element, types); wide != type->element) {
        // One operation is rounded once.
        Node inFloats = node;
        inFloats.type = types.tensor(wide, type->dims);
        inFloats.operands = {make(TensorFn::Cast, inFloats.type, node.operands, {}, range)};
        return make(TensorFn::Cast, type, {softmax(instr, inFloats)}, {}, range);
    }
    const NodePtr& x = node.operands[0];
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
    if (node.fn == TensorFn::Softmax) return make(TensorFn::Div, type, {powers, total}, {}, range);
    const NodePtr logarithm = make(TensorFn::Math, single, {total}, {}, range);
    logarithm->math = types::MathFn::Log;
    materialise(logarithm);
    return make(TensorFn::Sub, type, {shifted, logarithm}, {}, range);
}

void BodyExpander::setInt(const Instr& instr, std::int64_t value) {
    regs[instr.result] = w.integer(value);
    constants[instr.result] = Value::of(types.intType(), static_cast<std::int32_t>(value));
}

Reg BodyExpander::elementReg(const Instr& instr) {
    const Reg reg = regs[instr.operands[0]];
    const bool isBit = scalarType(instr.operands[0])->is(TypeKind::Bit);
    return isBit ? w.operation(Op::Convert, types.intType(), {reg}) : reg;
}

void BodyExpander::fromScalar(const Instr& instr, const Type* type) {
    define(instr, number(type, elementReg(instr), constants[instr.operands[0]]));
}

void BodyExpander::fromArray(const Instr& instr, const Type* type) {
    checkComputable(instr, type);
    const Type* storage = storageOf(type, types);
    const std::uint32_t local = w.local("", storage);
    const Reg array = regs[instr.operands[0]];
    const NodePtr place = memory(type, {Space::Local, local}, storage);
    Reg row = array;
    copyRows(row, w.body.regs[array].type, {}, *place);
    define(instr, place);
}

void BodyExpander::copyRows(Reg ref, const Type* type, MultiIndex place, const Node& to) {
    if (!type->is(TypeKind::Array)) {
        Reg value = w.operation(Op::LoadAt, type, {ref});
        if (type->is(TypeKind::Bit)) value = w.operation(Op::Convert, types.intType(), {value});
        return elements.store(to, place, value);
    }
    w.loop(type->extent, [&](Reg i) {
        MultiIndex inner = place;
        inner.push_back({0, i});
        copyRows(w.reference(ref, i), type->element, inner, to);
    });
}

void BodyExpander::read(const Instr& instr) {
    const NodePtr node = nodeOf(instr, 0);
    const bool isLookedAt =
        node->kind != NodeKind::Operation || (isView(node->fn) && readsMemory(*node));
    if (!isLookedAt) materialise(node);
    MultiIndex place;
    for (std::size_t k = 1; k < instr.operands.size(); ++k) {
        const Reg reg = instr.operands[k];
        if (constants[reg]) {
            place.push_back({constants[reg]->toInt(), ir::kNone});
            continue;
        }
        elements.check(regs[reg], node->dims()[k - 1]);
        place.push_back({0, regs[reg]});
    }
    if (instr.tensor == TensorFn::Item) place.resize(node->dims().size());
    Reg value = elements.element(node, place);
    if (node->type->element->is(TypeKind::Long))  // as scalars have it
        value = w.operation(Op::Convert, types.intType(), {value});
    regs[instr.result] = value;
    STRC_ASSERT(w.body.regs[value].type == instr.type, "an element of another type");
}

}  // namespace strc::tensor
