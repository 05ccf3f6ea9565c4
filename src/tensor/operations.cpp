#include "tensor/detail/operations.h"

#include <algorithm>

#include "base/assert.h"
#include "tensor/detail/epilogue.h"
#include "tensor/detail/known_values.h"

namespace strc::tensor {

using ir::Instr;
using ir::Op;
using ir::Reg;
using ir::Space;
using types::TensorFn;
using types::TypeKind;

namespace {

/// Parts of parts that stand along the same dimension are parts.
void flatten(Node& node) {
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

bool readsMemory(const Node& view) {
    const NodePtr& operand = view.operands[0];
    return operand->kind != NodeKind::Operation || (isView(operand->fn) && readsMemory(*operand));
}

bool isInOrder(const Node& node) {
    if (node.kind != NodeKind::Operation) return node.kind == NodeKind::Number || isRowByRow(node);
    if (isMade(node.fn)) return true;
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

}  // namespace

void OperationExpander::expand(const Instr& instr) {
    switch (instr.tensor) {
        case TensorFn::Read:
        case TensorFn::Item: return read(instr);
        case TensorFn::FromScalar:
            return c.define(instr, number(c.typeOf(instr.result), elementReg(instr),
                                          c.known(instr.operands[0])));
        case TensorFn::FromArray: return fromArray(instr);
        default: return c.define(instr, build(instr));
    }
}

NodePtr OperationExpander::build(const Instr& instr) {
    auto node = std::make_shared<Node>();
    node->type = c.typeOf(instr.result);
    node->fn = instr.tensor;
    node->math = instr.math;
    node->range = instr.range;
    for (std::size_t k = 0; k < instr.operands.size(); ++k) addOperand(*node, instr, k);
    locate(*node);
    flatten(*node);
    if (types::info(node->fn).kind == types::TensorKind::Normalisation) {
        if (node->ints.empty())
            node->ints.push_back(static_cast<std::int64_t>(node->dims().size()) - 1);
        return softmax(*node);
    }
    if (isContraction(node->fn) &&
        registerType(node->type->element, c.types) != node->type->element)
        return inWiderSums(*node);
    prepareOperands(*node);
    const bool isOften = c.uses[instr.result] > 1 && !(isView(node->fn) && readsMemory(*node));
    if (isOften) c.materialise(node);
    return node;
}

/// Sums of narrow elements have the digits of registers, and are rounded once.
NodePtr OperationExpander::inWiderSums(const Node& node) {
    const Type* wide = registerType(node.type->element, c.types);
    auto widened = [&](const NodePtr& operand) {
        if (operand->type->element == wide) return operand;
        return make(TensorFn::Cast, c.types.tensor(wide, operand->dims()), {operand}, {},
                    node.range);
    };
    auto sums = std::make_shared<Node>(node);
    sums->type = c.types.tensor(wide, node.dims());
    for (NodePtr& operand : sums->operands) operand = widened(operand);
    prepareOperands(*sums);
    c.materialise(sums);
    return make(TensorFn::Cast, node.type, {sums}, {}, node.range);
}

void OperationExpander::addOperand(Node& node, const Instr& instr, std::size_t k) {
    const Reg reg = instr.operands[k];
    const auto& value = c.known(reg);
    const std::string_view signature = types::info(instr.tensor).signature;
    const auto count = instr.operands.size();
    const bool isNumber = types::operandAt(signature, k, count) == 'r';
    // Dimensions counted from the end become ordinary ones.
    const bool isDimension = types::isDimension(signature, k, count);
    auto addInt = [&](std::int64_t number) {
        const auto dim =
            isDimension ? dimension(number, node.operands[0]->dims().size()) : std::nullopt;
        node.ints.push_back(dim ? static_cast<std::int64_t>(*dim) : number);
    };
    if (c.nodes[reg]) {
        node.operands.push_back(c.nodes[reg]);
    } else if ((isNumber && k > 0) ||
               (c.typeOf(reg)->isReal() && !c.typeOf(reg)->is(TypeKind::Int))) {
        node.operands.push_back(number(c.types.tensor(c.typeOf(reg), {}), c.regs[reg], value));
    } else if (instr.tensor == TensorFn::Full && k == 0) {
        node.operands.push_back(number(c.types.tensor(node.type->element, {}), elementReg(instr)));
    } else if (c.from.regs[reg].ref) {
        for (std::int64_t item = 0; item < value->type->extent; ++item)
            addInt(listItem(*value, item));
    } else {
        addInt(value ? value->toInt() : 0);
        if (!value) node.start = c.regs[reg];
    }
}

void OperationExpander::locate(Node& node) {
    if (node.fn != TensorFn::Narrow && node.fn != TensorFn::Update) return;
    const bool isPart = node.fn == TensorFn::Narrow;
    const auto dim = static_cast<std::size_t>(node.ints[0]);
    const std::int64_t count = isPart ? node.ints[2] : node.operands[1]->dims()[dim];
    if (!isPart && node.start == ir::kNone && count == node.operands[0]->dims()[dim]) {
        node.fn = TensorFn::Cast;  // nothing of the whole is left but its type
        node.operands.erase(node.operands.begin());
        node.ints.clear();
    } else if (node.start != ir::kNone) {
        c.elements.places.check(node.start, node.operands[0]->dims()[dim] - count + 1);
    } else if (isPart) {
        node.fn = TensorFn::Slice;
        node.ints = {node.ints[0], node.ints[1], node.ints[1] + count};
    }
}

/// A sum of products, or what is done with it, stays as it is only for what can be done with it as well.
bool OperationExpander::isFinished(const Node& node, const NodePtr& operand) const {
    const Node* sum = operand.get();
    while (sum->kind == NodeKind::Operation && sum->fn == TensorFn::Permute)
        sum = sum->operands[0].get();
    if (sum->kind != NodeKind::Operation || node.fn == TensorFn::Permute) return false;
    if (!isContraction(sum->fn) && !(c.elements.options.fusesEpilogues && epilogueOf(*sum)))
        return false;
    if (!c.elements.options.fusesEpilogues) return true;
    const std::optional<Epilogue> epilogue =
        isContraction(node.fn) ? std::nullopt : epilogueOf(node);
    return !epilogue || std::find(epilogue->addends.begin(), epilogue->addends.end(), operand) !=
                            epilogue->addends.end();
}

void OperationExpander::prepareOperands(Node& node) {
    for (NodePtr& operand : node.operands) {
        if (keepsOrder(node.fn) && !isInOrder(*operand)) {
            c.materialiseRowByRow(operand);
            continue;
        }
        if (operand->kind != NodeKind::Operation) continue;
        const bool isLookedAt = isView(operand->fn) && readsMemory(*operand);
        if (isLookedAt && !keepsOrder(node.fn)) continue;
        if (isPadOfPad(node)) continue;
        if (isContraction(node.fn) && isWidening(*operand)) {
            // It takes narrow elements as they are.
            NodePtr& narrow = operand->operands[0];
            const bool isThere =
                narrow->kind == NodeKind::Memory ||
                (narrow->kind == NodeKind::Operation && isView(narrow->fn) && readsMemory(*narrow));
            if (!isThere) c.materialise(narrow);
            continue;
        }
        const bool isRepeated = types::readsOften(node.fn) || isAssembled(operand->fn) ||
                                (isFinished(node, operand) && !types::placesElements(node.fn)) ||
                                (isElementwise(node.fn) && operand->count() != node.count());
        if (isRepeated) c.materialise(operand);
    }
}

NodePtr OperationExpander::softmax(const Node& node) {
    const base::SourceRange range = node.range;
    const Type* type = node.type;
    if (const Type* wide = registerType(type->element, c.types); wide != type->element) {
        // One operation is rounded once.
        Node inFloats = node;
        inFloats.type = c.types.tensor(wide, type->dims);
        inFloats.operands = {make(TensorFn::Cast, inFloats.type, node.operands, {}, range)};
        return make(TensorFn::Cast, type, {softmax(inFloats)}, {}, range);
    }
    const NodePtr& x = node.operands[0];
    Dims one = x->dims();
    one[static_cast<std::size_t>(node.ints[0])] = 1;
    const Type* single = c.types.tensor(type->element, one);
    const std::vector<std::int64_t> over{node.ints[0], 1};
    c.materialise(x);
    const NodePtr most =
        make(TensorFn::Amax, c.types.tensor(x->type->element, one), {x}, over, range);
    c.materialise(most);
    const NodePtr shifted = make(TensorFn::Sub, type, {x, most}, {}, range);
    auto exp = [&](const NodePtr& of) {
        NodePtr made = make(TensorFn::Math, of->type, {of}, {}, range);
        made->math = types::MathFn::Exp;
        return made;
    };
    const NodePtr powers = exp(shifted);
    if (node.fn == TensorFn::Softmax) c.materialise(powers);
    const NodePtr total = make(TensorFn::Sum, single, {powers}, over, range);
    c.materialise(total);
    if (node.fn == TensorFn::Softmax) return make(TensorFn::Div, type, {powers, total}, {}, range);
    const NodePtr logarithm = make(TensorFn::Math, single, {total}, {}, range);
    logarithm->math = types::MathFn::Log;
    c.materialise(logarithm);
    return make(TensorFn::Sub, type, {shifted, logarithm}, {}, range);
}

Reg OperationExpander::elementReg(const Instr& instr) {
    const Reg reg = c.regs[instr.operands[0]];
    const bool isBit = c.typeOf(instr.operands[0])->is(TypeKind::Bit);
    return isBit ? w.operation(Op::Convert, c.types.intType(), {reg}) : reg;
}

void OperationExpander::fromArray(const Instr& instr) {
    const Type* type = c.typeOf(instr.result);
    const Type* storage = storageOf(type, c.types);
    const std::uint32_t local = w.local("", storage);
    const Reg array = c.regs[instr.operands[0]];
    const NodePtr place = memory(type, {Space::Local, local}, storage);
    copyRows(array, w.body.regs[array].type, {}, *place);
    c.define(instr, place);
}

void OperationExpander::copyRows(Reg ref, const Type* type, MultiIndex place, const Node& to) {
    if (!type->is(TypeKind::Array)) {
        Reg value = w.operation(Op::LoadAt, type, {ref});
        if (type->is(TypeKind::Bit)) value = w.operation(Op::Convert, c.types.intType(), {value});
        return c.elements.places.store(to, place, value);
    }
    w.loop(type->extent, [&](Reg i) {
        MultiIndex inner = place;
        inner.push_back({0, i});
        copyRows(w.reference(ref, i), type->element, inner, to);
    });
}

void OperationExpander::read(const Instr& instr) {
    const NodePtr node = c.operand(instr, 0);
    const bool isLookedAt =
        node->kind != NodeKind::Operation || (isView(node->fn) && readsMemory(*node));
    if (!isLookedAt) c.materialise(node);
    MultiIndex place;
    for (std::size_t k = 1; k < instr.operands.size(); ++k) {
        const Reg reg = instr.operands[k];
        if (c.known(reg)) {
            place.push_back({c.known(reg)->toInt(), ir::kNone});
            continue;
        }
        c.elements.places.check(c.regs[reg], node->dims()[k - 1]);
        place.push_back({0, c.regs[reg]});
    }
    if (instr.tensor == TensorFn::Item) place.resize(node->dims().size());
    Reg value = c.elements.element(node, place);
    if (node->type->element->is(TypeKind::Long))  // as scalars have it
        value = w.operation(Op::Convert, c.types.intType(), {value});
    c.regs[instr.result] = value;
    STRC_ASSERT(w.body.regs[value].type == instr.type, "an element of another type");
}

}  // namespace strc::tensor
