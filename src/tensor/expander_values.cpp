// Values that are still to be computed, and the variables that hold them.

#include <algorithm>
#include <memory>
#include <string>

#include "tensor/expander.h"

namespace strc::tensor {

using ir::Instr;
using ir::Reg;
using ir::Space;
using ir::VarRef;
using types::TensorFn;

void BodyExpander::define(const Instr& instr, NodePtr node) {
    nodes[instr.result] = std::move(node);
    if (uses[instr.result] > 0) live.push_back(instr.result);
}

void BodyExpander::settle() {
    forEachLive([&](NodePtr& node) {
        if (isPartInPlace(*node)) return;
        materialise(node);
        if (node->kind == NodeKind::Memory && !isLasting(*node)) copy(node);
    });
}

void BodyExpander::materialise(const NodePtr& node) {
    if (node->kind != NodeKind::Operation) return;
    const NodePtr place = elements.compute(node, "");
    *node = *place;
}

void BodyExpander::materialiseRowByRow(NodePtr& node) {
    if (node->kind == NodeKind::Operation)
        *node = *elements.computeRowByRow(node);
    else if (node->kind == NodeKind::Memory && !isRowByRow(*node))
        node = elements.computeRowByRow(node);
}

void BodyExpander::release(VarRef var, const Node* except) {
    forEachLive([&](NodePtr& node) {
        if (node.get() == except) return;
        if (node->kind == NodeKind::Operation && reads(*node, var)) {
            materialise(node);
        } else if (node->kind == NodeKind::Memory && node->var == var) {
            copy(node);
        }
    });
}

std::pair<int, std::uint32_t> BodyExpander::key(VarRef var) {
    return {static_cast<int>(var.space), var.index};
}

std::string BodyExpander::nameOf(VarRef var) const {
    return "'" +
           (var.space == Space::Local ? from.locals[var.index].name : code.fields[var.index].name) +
           "'";
}

void BodyExpander::declare(const Instr& instr) {
    const Type* type = variableType(instr.var);
    std::vector<std::int64_t> dims;
    for (Reg operand : instr.operands) {
        if (dividesByZero(operand))
            stop(instr, nameOf(instr.var), "a dimension is something divided by 0");
        if (!constants[operand])
            stopOfRun(instr, nameOf(instr.var),
                      "one of its dimensions is not known when the program is compiled");
        const std::int64_t extent = constants[operand]->toInt();
        if (extent < 0 && extent != ir::kOpenExtent)
            stop(instr, nameOf(instr.var), std::to_string(extent) + " is no extent");
        dims.push_back(extent == ir::kOpenExtent ? types::kDynamic : extent);
    }
    checkExtents(instr, nameOf(instr.var), dims);
    const Type* declared = dims.empty() ? type : types.tensor(type->element, dims);
    if (instr.var.space == Space::Field) {
        if (isConcrete(declared)) state.fields.types[instr.var.index] = declared;
        state.declared[instr.var.index] = declared;
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

void BodyExpander::checkExtents(const Instr& instr, const std::string& name,
                                const std::vector<std::int64_t>& dims) {
    std::int64_t elements = 1;
    for (std::int64_t extent : dims) {
        if (extent == types::kDynamic) continue;
        if (__builtin_mul_overflow(elements, extent, &elements) || elements > INT32_MAX)
            stop(instr, name, "it has more than 2147483647 elements");
    }
}

bool BodyExpander::dividesByZero(Reg reg) const {
    for (const ir::Block& block : from.blocks)
        for (const Instr& instr : block.instrs) {
            if (instr.result != reg || instr.op != ir::Op::Div) continue;
            const auto& divisor = constants[instr.operands[1]];
            return divisor && divisor->toInt() == 0;
        }
    return false;
}

NodePtr BodyExpander::field(const Instr& instr) {
    const std::uint32_t index = instr.var.index;
    const Type* type = state.fields.types[index];
    if (!type)
        stopUnknown(instr, "the shape of field " + nameOf(instr.var) + ", which has no value yet,");
    const std::vector<std::uint32_t>& stored = state.fields.stored;
    if (index < stored.size() && stored[index] != ir::kNone) {
        if (in.mayStore && in.weights)
            in.weights->noteComputation(state.stored[stored[index]].bytes);
        return memory(type, {Space::Stored, stored[index]}, storageOf(type, types));
    }
    return memory(type, instr.var, storageOf(type, types));
}

NodePtr BodyExpander::global(const Instr& instr) {
    const std::string& name = in.module->globals[instr.var.index].name;
    const Value& value = in.module->globalValues[instr.var.index];
    if (!value.type) stopUnknown(instr, "the shape of '" + name + "', which has no value yet,");
    const auto index = static_cast<std::uint32_t>(state.stored.size());
    const Type* array = storageOf(value.type, types);
    // A static item may be about to change it; afterwards it lasts as long as the program does.
    const auto kept = in.isStaticItem ? std::make_shared<std::string>(value.bytes) : nullptr;
    const std::string& from = kept ? *kept : value.bytes;
    const weights::Bytes bytes(kept, reinterpret_cast<const std::byte*>(from.data()));
    state.stored.push_back({name, array, bytes, false});
    return memory(value.type, {Space::Stored, index}, array);
}

void BodyExpander::load(const Instr& instr) {
    if (instr.var.space == Space::Field) return define(instr, field(instr));
    if (instr.var.space == Space::Global) return define(instr, global(instr));
    const NodePtr value = bindings[key(instr.var)].value;
    if (!value)
        stopUnknown(instr, "the shape of " + nameOf(instr.var) + ", which has no value yet,");
    if (value->kind != NodeKind::Operation || isPartInPlace(*value))
        return define(instr, std::make_shared<Node>(*value));
    bindings[key(instr.var)].value = nullptr;  // nobody loads it again
    define(instr, value);
}

void BodyExpander::store(const Instr& instr) {
    const NodePtr value = nodeOf(instr, 0);
    checkComputable(instr, value->type);
    if (instr.var.space == Space::Field) return storeField(instr, value);
    if (instr.var.space == Space::Global) {
        state.given.insert_or_assign(instr.var.index, value->type);
        return overwrite(instr.var, storageOf(value->type, types), value);
    }
    const Type* declared = bindings[key(instr.var)].declared;
    checkDeclared(instr, declared ? declared : variableType(instr.var), value->type);
    bind(instr.var, value, &instr);
}

void BodyExpander::checkDeclared(const Instr& instr, const Type* declared, const Type* type) {
    if (declared && !types::compatible(declared, type))
        stop(instr, nameOf(instr.var),
             "it is declared as " + types::toString(declared) + " and gets " +
                 types::toString(type));
}

void BodyExpander::storeField(const Instr& instr, const NodePtr& value) {
    const Type*& type = state.fields.types[instr.var.index];
    auto declared = state.declared.find(instr.var.index);
    if (declared != state.declared.end()) checkDeclared(instr, declared->second, value->type);
    const Sequence& known = state.fields.declared;
    if (instr.var.index < known.size()) checkDeclared(instr, known[instr.var.index], value->type);
    if (!type && in.areFieldsKnown)
        stopUnknown(instr, "the shape of field " + nameOf(instr.var) +
                               ", which neither its declaration nor init gives,");
    if (!type) type = value->type;
    if (type != value->type)
        stopOfRun(instr, nameOf(instr.var),
                  "the field is " + types::toString(type) + " and becomes " +
                      types::toString(value->type));
    if (becomesStored(instr.var, value)) return;
    overwrite(instr.var, storageOf(type, types), value);
}

void BodyExpander::overwrite(VarRef var, const Type* array, const NodePtr& value,
                             const Dims& steps) {
    release(var, value.get());
    if (value->kind == NodeKind::Memory && value->var == var) return;
    const bool isInPlace = steps.empty() && elements.isInPlace(*value, var);
    if (reads(*value, var) && !isInPlace) materialise(value);
    elements.computeInto(value, var, array, steps);
    if (value->kind == NodeKind::Operation) *value = *memory(value->type, var, array, steps);
}

void BodyExpander::bind(VarRef var, const NodePtr& value, const Instr* instr) {
    auto place = fixed.find(key(var));
    if (place == fixed.end()) {
        if (isPartInPlace(*value) ||
            (value->kind == NodeKind::Operation && iterationLocals.loads(var.index) == 1)) {
            bindings[key(var)].value = value;
            return;
        }
        materialise(value);
        bindings[key(var)].value = isLasting(*value) ? value : elements.compute(value, "");
        return;
    }
    if (!place->second) {
        fix(var, value);
    } else if (place->second->type != value->type) {
        if (instr)
            stopOfRun(*instr, nameOf(var),
                      "it is " + types::toString(place->second->type) +
                          " in one round or branch and " + types::toString(value->type) +
                          " in another");
    } else {
        overwrite(place->second->var, place->second->array, value, place->second->steps);
    }
    bindings[key(var)].value = place->second;
}

bool BodyExpander::isPartInPlace(const Node& node) const {
    return node.kind == NodeKind::Operation &&
           (node.fn == TensorFn::Slice || node.fn == TensorFn::Narrow) &&
           isLasting(*node.operands[0]);
}

bool BodyExpander::isLasting(const Node& node) const {
    if (node.kind != NodeKind::Memory) return false;
    if (node.var.space != Space::Local) return node.var.space == Space::Stored;
    return std::none_of(fixed.begin(), fixed.end(), [&](const auto& entry) {
        return entry.second && entry.second->var == node.var;
    });
}

void BodyExpander::fix(VarRef var, const NodePtr& value) {
    const NodePtr place =
        elements.compute(std::make_shared<Node>(*value), from.locals[var.index].name);
    fixed[key(var)] = place;
    bindings[key(var)].value = place;
}

}  // namespace strc::tensor
