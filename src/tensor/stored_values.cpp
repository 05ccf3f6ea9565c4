#include "tensor/detail/stored_values.h"

#include <algorithm>
#include <new>

#include "tensor/operation.h"

namespace strc::tensor {

using ir::Instr;
using ir::Op;

namespace {

base::Result<weights::Values> look(weights::Source* source, const std::string& name,
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

StoredValues missing(const BodyContext& context, const Instr& instr, const std::string& name,
                     const Type* wanted, base::Failure why) {
    Fault fault;
    fault.range = instr.range;
    const bool isMissing = why.id == base::Diag::WeightsMissing;
    if (isMissing) fault.similar = context.in.weights->similarTo(name);
    fault.endsAll = !isMissing && why.id != base::Diag::WeightsMismatch;
    fault.refusal = std::move(why);
    StoredValues made;
    if (!fault.endsAll && wanted && types::isConcrete(wanted)) {
        made.type = wanted;
        made.array = {name, storageOf(wanted, context.types), nullptr, false};
    }
    made.fault = std::move(fault);
    return made;
}

}  // namespace

StoredValues findStored(const BodyContext& context, const Instr& instr, const std::string& name,
                        const Type* wanted) {
    weights::Source* source = context.in.weights;
    auto found = look(source, name, wanted, context.types);
    if (!found) return missing(context, instr, name, wanted, found.failure());
    StoredValues made;
    const Type* array = storageOf(found->type, context.types);
    if (array->extent > INT32_MAX) {
        made.fault = Fault{false, describe(instr),
                           "'" + name + "' has more elements than an array can have", instr.range};
        return made;
    }
    made.type = found->type;
    made.array = {name, array, found->bytes, !source->path().empty()};
    return made;
}

std::string storedName(const std::string& prefix, const std::string& last) {
    return prefix.empty() ? last : prefix + "." + last;
}

const ir::VarRef* storedTo(const ir::Body& body, ir::Reg value) {
    for (const ir::Block& block : body.blocks)
        for (const Instr& user : block.instrs) {
            if (user.operands.empty() || user.operands[0] != value) continue;
            if (user.op == Op::Convert) value = user.result;
            if (user.op == Op::Store) return &user.var;
        }
    return nullptr;
}

void noteMissing(Fault fault, std::vector<Fault>& missing) {
    auto isSame = [&](const Fault& other) {
        return other.range == fault.range && other.refusal->args == fault.refusal->args;
    };
    if (std::none_of(missing.begin(), missing.end(), isSame)) missing.push_back(std::move(fault));
}

}  // namespace strc::tensor
