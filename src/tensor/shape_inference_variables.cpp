// Variables with tensors, and values that stand under a name in a weights file.

#include "tensor/detail/shape_inference.h"
#include "tensor/detail/stored_values.h"
#include "tensor/operation.h"

namespace strc::tensor {

using ir::Instr;
using ir::Op;
using ir::Reg;
using ir::Space;
using ir::VarRef;

namespace {

KnownVariables::Key keyOf(VarRef var) { return {static_cast<int>(var.space), var.index}; }

}  // namespace

void ShapeInference::declare(const Instr& instr) {
    const std::optional<Dims> dims = extentsOf(instr);
    if (!dims) return;
    checkExtents(instr, context.nameOf(instr.var), *dims);
    const Type* type = context.typeOf(instr.var);
    const Type* declared = dims->empty() ? type : context.types.tensor(type->element, *dims);
    const bool isField = instr.var.space == Space::Field;
    Instr declaration = instr;
    declaration.operands.clear();
    if (!isField) declaration.type = declared;
    emit(declaration, nullptr);
    if (isField) {
        if (isConcrete(declared)) state.fields.types[instr.var.index] = declared;
        state.declared[instr.var.index] = declared;
        return;
    }
    bindings[keyOf(instr.var)] = {nullptr, declared};
    if (isConcrete(declared)) bind(instr.var, declared, nullptr);
}

namespace {

/// Is the register what an integer gives that is divided by 0?
bool dividesByZero(const ir::Body& body, const KnownValues& known, Reg reg) {
    for (const ir::Block& block : body.blocks)
        for (const Instr& instr : block.instrs) {
            if (instr.result != reg || instr.op != Op::Div) continue;
            const auto& divisor = known[instr.operands[1]];
            return divisor && divisor->toInt() == 0;
        }
    return false;
}

}  // namespace

/// Nothing after a fault.
std::optional<Dims> ShapeInference::extentsOf(const Instr& declaration) {
    Dims dims;
    const std::string name = context.nameOf(declaration.var);
    for (Reg operand : declaration.operands) {
        if (dividesByZero(from, known, operand))
            fault.note(declaration, name, "a dimension is something divided by 0");
        if (!known[operand])
            fault.noteOfRun(declaration, name,
                            "one of its dimensions is not known when the program is compiled");
        if (fault) return std::nullopt;
        const std::int64_t extent = known[operand]->toInt();
        if (extent < 0 && extent != ir::kOpenExtent)
            fault.note(declaration, name, std::to_string(extent) + " is no extent");
        dims.push_back(extent == ir::kOpenExtent ? types::kDynamic : extent);
    }
    return fault ? std::nullopt : std::optional(dims);
}

void ShapeInference::checkExtents(const Instr& instr, const std::string& name, const Dims& dims) {
    std::int64_t elements = 1;
    for (std::int64_t extent : dims) {
        if (extent == types::kDynamic) continue;
        if (__builtin_mul_overflow(elements, extent, &elements) || elements > INT32_MAX)
            return fault.note(instr, name, "it has more than 2147483647 elements");
    }
}

void ShapeInference::load(const Instr& instr) {
    if (instr.var.space == Space::Global) return loadGlobal(instr);
    const bool isField = instr.var.space == Space::Field;
    const Type* type =
        isField ? state.fields.types[instr.var.index] : bindings[keyOf(instr.var)].type;
    if (type) return emit(instr, type);
    fault.noteUnknown(instr, "the shape of " + std::string(isField ? "field " : "") +
                                 context.nameOf(instr.var) + ", which has no value yet,");
}

/// Reads an array that nobody writes.
void ShapeInference::loadStored(const Instr& instr, const Type* type, ir::StoredArray array) {
    Instr load;
    load.op = Op::Load;
    load.type = type;
    load.var = {Space::Stored, static_cast<std::uint32_t>(state.stored.size())};
    load.range = instr.range;
    load.result = instr.result;
    state.stored.push_back(std::move(array));
    emit(load, type);
}

/// A tensor that static items have made; it is constant from then on.
void ShapeInference::loadGlobal(const Instr& instr) {
    const ir::Module& module = *context.in.module;
    const std::string& name = module.globals[instr.var.index].name;
    const Value& value = module.globalValues[instr.var.index];
    if (!value.type)
        return fault.noteUnknown(instr, "the shape of '" + name + "', which has no value yet,");
    // A static item may be about to change it; afterwards it lasts as long as the program does.
    const auto kept =
        context.in.isStaticItem ? std::make_shared<std::string>(value.bytes) : nullptr;
    const std::string& bytes = kept ? *kept : value.bytes;
    loadStored(instr, value.type,
               {name, storageOf(value.type, context.types),
                weights::Bytes(kept, reinterpret_cast<const std::byte*>(bytes.data())), false});
}

void ShapeInference::store(const Instr& instr) {
    const Type* type = typeOf(instr.operands[0]);
    if (!fault.checkComputable(instr, type)) return;
    if (instr.var.space == Space::Field) {
        storeField(instr, type);
    } else if (instr.var.space == Space::Global) {
        state.given.insert_or_assign(instr.var.index, type);
    } else {
        const Type* declared = bindings[keyOf(instr.var)].declared;
        checkDeclared(instr, declared ? declared : context.typeOf(instr.var), type);
        bind(instr.var, type, &instr);
    }
    if (!fault) emit(instr, nullptr);
}

void ShapeInference::checkDeclared(const Instr& instr, const Type* declared, const Type* type) {
    if (declared && !types::compatible(declared, type))
        fault.note(instr, context.nameOf(instr.var),
                   "it is declared as " + types::toString(declared) + " and gets " +
                       types::toString(type));
}

void ShapeInference::storeField(const Instr& instr, const Type* given) {
    const Type*& type = state.fields.types[instr.var.index];
    const auto declared = state.declared.find(instr.var.index);
    if (declared != state.declared.end()) checkDeclared(instr, declared->second, given);
    const Sequence& before = state.fields.declared;
    if (instr.var.index < before.size()) checkDeclared(instr, before[instr.var.index], given);
    if (!type && context.in.areFieldsKnown)
        fault.noteUnknown(instr, "the shape of field " + context.nameOf(instr.var) +
                                     ", which neither its declaration nor init gives,");
    if (!type) type = given;
    if (type != given)
        fault.noteOfRun(
            instr, context.nameOf(instr.var),
            "the field is " + types::toString(type) + " and becomes " + types::toString(given));
}

/// `store`: null for the zeros of a declaration.
void ShapeInference::bind(VarRef var, const Type* type, const Instr* store) {
    const auto place = fixed.find(keyOf(var));
    if (place != fixed.end() && !place->second) place->second = type;
    const Type* kept = place == fixed.end() ? type : place->second;
    if (kept != type && store)
        fault.noteOfRun(*store, context.nameOf(var),
                        "it is " + types::toString(kept) + " in one round or branch and " +
                            types::toString(type) + " in another");
    bindings[keyOf(var)].type = kept;
}

// ---- stored values

/// The declared type of the variable that gets the values, if nothing else is done with them.
const Type* ShapeInference::storedType(const Instr& instr, const Type* shaped) const {
    if (instr.operands.size() > 2) return shaped;
    const ir::VarRef* var = storedTo(from, instr.result);
    if (!var) return shaped;
    const Type* declared = nullptr;
    if (var->space == Space::Field) {
        const auto found = state.declared.find(var->index);
        if (found != state.declared.end()) declared = found->second;
    } else if (const auto found = bindings.find(keyOf(*var)); found != bindings.end()) {
        declared = found->second.declared;
    }
    return declared ? declared : shaped;
}

void ShapeInference::stored(const Instr& instr, const Type* shaped) {
    if (!context.in.mayStore)
        return fault.note(
            instr, describe(instr),
            "values are looked up by name while the graph is built, not in work: put them "
            "into a field");
    const auto &prefix = known[instr.operands[0]], &last = known[instr.operands[1]];
    if (!prefix || !last) return fault.noteUnknown(instr, "the name of stored values");
    StoredValues found = findStored(context, instr, storedName(prefix->bytes, last->bytes),
                                    storedType(instr, shaped));
    if (!found.type) return fault.note(std::move(*found.fault));
    if (found.fault)
        noteMissing(std::move(*found.fault), state.missing);
    else if (!fault.checkComputable(instr, found.type))
        return;
    loadStored(instr, found.type, std::move(found.array));
}

}  // namespace strc::tensor
