// Values that stand under a name in a weights file.

#include "tensor/expander.h"

namespace strc::tensor {

using ir::Instr;
using ir::Op;
using ir::Reg;
using ir::Space;
using ir::VarRef;
using types::TypeKind;

/// The two texts with a point between them; without the first just the second.
std::string BodyExpander::storedName(const Instr& instr) {
    std::string parts[2];
    for (std::size_t k = 0; k < 2; ++k) {
        const std::optional<Value>& known = constants[instr.operands[k]];
        if (!known) stopUnknown(instr, "the name of stored values");
        parts[k] = known->bytes;
    }
    return parts[0].empty() ? parts[1] : parts[0] + "." + parts[1];
}

const Type* BodyExpander::declaredType(VarRef var) const {
    if (var.space == Space::Field) {
        auto found = world.declared.find(var.index);
        return found == world.declared.end() ? nullptr : found->second;
    }
    auto found = bindings.find(key(var));
    return found == bindings.end() ? nullptr : found->second.declared;
}

/// What a variable is declared as that gets the values and nothing else.
const Type* BodyExpander::storedType(const Instr& instr, const Type* shaped) const {
    if (instr.operands.size() > 2) return shaped;
    Reg value = instr.result;
    for (const ir::Block& block : from.blocks)
        for (const Instr& user : block.instrs) {
            if (user.operands.empty() || user.operands[0] != value) continue;
            if (user.op == Op::Convert) value = user.result;
            if (user.op != Op::Store) continue;
            const Type* declared = declaredType(user.var);
            return declared ? declared : shaped;
        }
    return shaped;
}

void BodyExpander::stored(const Instr& instr, const Type* shaped) {
    if (!world.stored)
        stop(instr,
             "values are looked up by name while the graph is built, not in work: put them into a "
             "field");
    const std::string name = storedName(instr);
    auto found =
        world.weights
            ? world.weights->find(name, storedType(instr, shaped), types)
            : base::Result<weights::Values>(base::failure(base::Diag::WeightsNone, {name}));
    if (!found) {
        Fault fault;
        fault.range = instr.range;
        fault.refusal = found.failure();
        if (world.weights && fault.refusal->id == base::Diag::WeightsMissing)
            fault.similar = world.weights->similarTo(name);
        throw Stop{std::move(fault)};
    }
    checkComputable(instr, found->type);
    const Type* array = storageOf(found->type, types);
    if (array->extent > INT32_MAX)
        stop(instr, "'" + name + "' has more elements than an array can have");
    const auto index = static_cast<std::uint32_t>(world.stored->size());
    const bool isInFile = !world.weights->path().empty() && found->bytes == found->inFile;
    if (found->bytes != found->inFile) world.weights->noteComputation(found->bytes);
    world.stored->push_back({name, array, found->bytes, isInFile});
    define(instr, memory(found->type, {Space::Stored, index}, array));
}

bool BodyExpander::becomesStored(VarRef field, const NodePtr& value) {
    const bool isSole = depth == 0 && world.stored && field.index < world.keepsFirst.size() &&
                        world.keepsFirst[field.index];
    if (!isSole || value->kind != NodeKind::Memory || value->var.space != Space::Stored)
        return false;
    world.fields.stored[field.index] = value->var.index;
    return true;
}

}  // namespace strc::tensor
