// Operations, and what leads from tensors to scalars and back.

#include <algorithm>

#include "base/assert.h"
#include "tensor/expander.h"

namespace strc::tensor {

using ir::Instr;
using ir::Op;
using ir::Reg;
using ir::Space;
using types::TensorFn;
using types::TypeKind;

void BodyExpander::checkComputable(const Instr& instr, const Type* type) {
    if (!isComputable(type->element))
        stop(instr,
             "elements of type " + types::toString(type->element) + " cannot be computed with yet");
}

void BodyExpander::operation(const Instr& instr) {
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

NodePtr BodyExpander::build(const Instr& instr, const Type* type) {
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
            node->operands.push_back(number(types.tensor(type->element, {}), elementReg(instr)));
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

void BodyExpander::prepareOperands(const Node& node) {
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

bool BodyExpander::isInOrder(const Node& node) {
    if (node.kind != NodeKind::Operation) return true;
    if (node.fn == TensorFn::Zeros || node.fn == TensorFn::Ones || node.fn == TensorFn::Full)
        return true;
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
    define(instr, number(type, elementReg(instr)));
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

void BodyExpander::copyRows(Reg ref, const Type* type, Place place, const Node& to) {
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

void BodyExpander::read(const Instr& instr) {
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

void BodyExpander::checkIndex(Reg index, std::int64_t extent) {
    const Type* nothing = types.array(types.bit(), 0);
    const std::uint32_t local = w.local("", types.array(nothing, extent));
    const Reg array = w.address(local);
    w.emit(Op::Elem, nothing, {array, index, w.integer(extent)});
    w.result(nothing, true);
}

}  // namespace strc::tensor
