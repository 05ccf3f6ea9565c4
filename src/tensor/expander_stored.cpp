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
        auto found = state.declared.find(var.index);
        return found == state.declared.end() ? nullptr : found->second;
    }
    auto found = bindings.find(key(var));
    return found == bindings.end() ? nullptr : found->second.declared;
}

/// The declared type of the variable that gets the values, if nothing else is done with them.
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

/// Goes on as if the values were there, if that is possible: all that is missing is reported at once.
void BodyExpander::missing(const Instr& instr, const std::string& name, const Type* wanted,
                           base::Failure why) {
    Fault fault;
    fault.range = instr.range;
    const bool isMissing = why.id == base::Diag::WeightsMissing;
    if (isMissing) fault.similar = in.weights->similarTo(name);
    fault.endsAll = !isMissing && why.id != base::Diag::WeightsMismatch;
    fault.refusal = std::move(why);
    if (fault.endsAll || !wanted || !types::isConcrete(wanted)) throw Stop{std::move(fault)};
    auto isKnown = [&](const Fault& other) {  // bodies are expanded twice, if need be
        return other.range == fault.range && other.refusal->args == fault.refusal->args;
    };
    if (std::none_of(state.missing.begin(), state.missing.end(), isKnown))
        state.missing.push_back(std::move(fault));
    keepStored(instr, wanted, {name, storageOf(wanted, types), nullptr, false});
}

void BodyExpander::keepStored(const Instr& instr, const Type* type, ir::StoredArray array) {
    const auto index = static_cast<std::uint32_t>(state.stored.size());
    define(instr, memory(type, {Space::Stored, index}, array.type));
    state.stored.push_back(std::move(array));
}

namespace {

base::Result<weights::Values> find(weights::Source* source, const std::string& name,
                                   const Type* wanted, types::TypeTable& types) {
    if (!source) return base::failure(base::Diag::WeightsNone, {name});
    try {
        return source->find(name, wanted, types);
    } catch (const std::bad_alloc&) {
        if (!wanted || !types::isConcrete(wanted)) throw;
        return base::failure(
            base::Diag::OutOfMemory,
            {"'" + name + "'", std::to_string(types::sizeOf(storageOf(wanted, types)))});
    }
}

}  // namespace

void BodyExpander::stored(const Instr& instr, const Type* shaped) {
    if (!in.mayStore)
        stop(instr,
             "values are looked up by name while the graph is built, not in work: put them into a "
             "field");
    const std::string name = storedName(instr);
    const Type* wanted = storedType(instr, shaped);
    auto found = find(in.weights, name, wanted, types);
    if (!found) return missing(instr, name, wanted, found.failure());
    checkComputable(instr, found->type);
    const Type* array = storageOf(found->type, types);
    if (array->extent > INT32_MAX)
        stop(instr, "'" + name + "' has more elements than an array can have");
    const bool isInFile = !in.weights->path().empty() && found->bytes == found->inFile;
    if (found->bytes != found->inFile) in.weights->noteComputation(found->bytes);
    keepStored(instr, found->type, {name, array, found->bytes, isInFile});
}

bool BodyExpander::becomesStored(VarRef field, const NodePtr& value) {
    const bool isSole = depth == 0 && in.mayStore && field.index < in.keepsFirst.size() &&
                        in.keepsFirst[field.index];
    if (!isSole || value->kind != NodeKind::Memory || value->var.space != Space::Stored)
        return false;
    state.fields.stored[field.index] = value->var.index;
    return true;
}

}  // namespace strc::tensor
