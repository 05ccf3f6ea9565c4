#include "tensor/detail/tensor_variables.h"

#include <algorithm>
#include <memory>

#include "tensor/detail/body_questions.h"

namespace strc::tensor {

using ir::Instr;
using ir::Space;
using ir::VarRef;
using types::TensorFn;

TensorVariables::TensorVariables(ExpansionContext& context)
    : c(context), iterationLocals(context.from) {}

void TensorVariables::declare(const Instr& instr) {
    if (instr.var.space == Space::Field) return c.put(instr);  // the memory, all zero
    bindings[instr.var.index] = nullptr;
    if (!isConcrete(instr.type)) return;
    auto zeros = std::make_shared<Node>();
    zeros->type = instr.type;
    zeros->fn = TensorFn::Zeros;
    zeros->range = instr.range;
    bind(instr.var.index, zeros);
}

void TensorVariables::load(const Instr& instr) {
    const Type* type = c.typeOf(instr.result);
    if (instr.var.space == Space::Field) return c.define(instr, field(instr));
    if (instr.var.space == Space::Stored)
        return c.define(instr, memory(type, instr.var, storageOf(type, c.types)));
    const NodePtr value = bindings[instr.var.index];
    if (value->kind != NodeKind::Operation || isPartInPlace(*value))
        return c.define(instr, std::make_shared<Node>(*value));
    bindings[instr.var.index] = nullptr;  // it is not loaded again
    c.define(instr, value);
}

NodePtr TensorVariables::field(const Instr& instr) {
    const std::uint32_t index = instr.var.index;
    const Type* type = c.typeOf(instr.result);
    const Type* array = storageOf(type, c.types);
    const std::vector<std::uint32_t>& stored = c.state.fields.stored;
    if (index >= stored.size() || stored[index] == ir::kNone) return memory(type, instr.var, array);
    if (c.in.mayStore && c.in.weights)
        c.in.weights->noteComputation(c.state.stored[stored[index]].bytes);
    return memory(type, {Space::Stored, stored[index]}, array);
}

void TensorVariables::store(const Instr& instr, bool isAlways) {
    const NodePtr& value = c.operand(instr, 0);
    if (instr.var.space == Space::Local) return bind(instr.var.index, value);
    const bool isField = instr.var.space == Space::Field;
    if (isField && isAlways && becomesStored(instr.var, *value)) return;
    overwrite(instr.var, storageOf(value->type, c.types), value);
}

bool TensorVariables::becomesStored(VarRef field, const Node& value) {
    const std::vector<bool>& keepsFirst = c.in.keepsFirst;
    const bool isSole = c.in.mayStore && field.index < keepsFirst.size() && keepsFirst[field.index];
    if (!isSole || value.kind != NodeKind::Memory || value.var.space != Space::Stored) return false;
    c.state.fields.stored[field.index] = value.var.index;
    return true;
}

void TensorVariables::settle() {
    forEachLive([&](NodePtr& node) {
        if (isPartInPlace(*node)) return;
        c.materialise(node);
        if (node->kind == NodeKind::Memory && !isLasting(*node)) copy(node);
    });
}

void TensorVariables::release(VarRef var, const Node* except) {
    forEachLive([&](NodePtr& node) {
        if (node.get() == except) return;
        if (node->kind == NodeKind::Operation && reads(*node, var)) {
            c.materialise(node);
        } else if (node->kind == NodeKind::Memory && node->var == var) {
            copy(node);
        }
    });
}

void TensorVariables::copy(const NodePtr& node) {
    *node = *c.elements.compute(std::make_shared<Node>(*node), "");
}

void TensorVariables::overwrite(VarRef var, const Type* array, const NodePtr& value,
                                const Dims& steps) {
    release(var, value.get());
    if (value->kind == NodeKind::Memory && value->var == var) return;
    const bool isInPlace = steps.empty() && c.elements.isInPlace(*value, var);
    if (reads(*value, var) && !isInPlace) c.materialise(value);
    c.elements.computeInto(value, var, array, steps);
    if (value->kind == NodeKind::Operation) *value = *memory(value->type, var, array, steps);
}

void TensorVariables::bind(std::uint32_t local, const NodePtr& value) {
    const auto place = fixed.find(local);
    if (place == fixed.end()) {
        const bool isDoneOnce =
            value->kind == NodeKind::Operation && iterationLocals.loads(local) == 1;
        if (isPartInPlace(*value) || isDoneOnce) {
            bindings[local] = value;
            return;
        }
        c.materialise(value);
        bindings[local] = isLasting(*value) ? value : c.elements.compute(value, "");
        return;
    }
    if (!place->second)
        fix(local, value);
    else if (place->second->type == value->type)
        overwrite(place->second->var, place->second->array, value, place->second->steps);
    bindings[local] = place->second;
}

void TensorVariables::fix(std::uint32_t local, const NodePtr& value) {
    const NodePtr place =
        c.elements.compute(std::make_shared<Node>(*value), c.from.locals[local].name);
    fixed[local] = place;
    bindings[local] = place;
}

std::vector<std::uint32_t> TensorVariables::enter(const Instr& control) {
    settle();
    std::vector<std::uint32_t> changed;
    for (VarRef var : tensorsStoredIn(c.from, control))
        if (!iterationLocals.isInside(var.index) && fixed.try_emplace(var.index, nullptr).second) {
            changed.push_back(var.index);
            if (const NodePtr value = bindings[var.index]) fix(var.index, value);
        }
    iterationLocals.enter(control);
    return changed;
}

void TensorVariables::leave(const Instr& control, const std::vector<std::uint32_t>& changed) {
    iterationLocals.leave(control);
    for (std::uint32_t local : changed) {
        if (const NodePtr place = fixed[local]) bindings[local] = place;
        fixed.erase(local);
    }
}

bool TensorVariables::isPartInPlace(const Node& node) const {
    return node.kind == NodeKind::Operation &&
           (node.fn == TensorFn::Slice || node.fn == TensorFn::Narrow) &&
           isLasting(*node.operands[0]);
}

bool TensorVariables::isLasting(const Node& node) const {
    if (node.kind != NodeKind::Memory) return false;
    if (node.var.space != Space::Local) return node.var.space == Space::Stored;
    return std::none_of(fixed.begin(), fixed.end(), [&](const auto& entry) {
        return entry.second && entry.second->var == node.var;
    });
}

}  // namespace strc::tensor
