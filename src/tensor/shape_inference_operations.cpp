// Operations, items that come and go, and calls of native functions.

#include <cstring>

#include "tensor/detail/shape_inference.h"
#include "tensor/operation.h"

namespace strc::tensor {

using ir::Instr;
using ir::Op;
using ir::Reg;
using types::TensorFn;

/// Arrays of ints as the numbers in them.
std::vector<Operand> ShapeInference::operandsOf(const Instr& instr) const {
    std::vector<Operand> operands;
    for (Reg reg : instr.operands) {
        const auto& value = known[reg];
        const bool isList = instr.tensor != TensorFn::FromArray && from.regs[reg].ref && value;
        if (!isList) {
            const bool isElsewhere = regs[reg] == ir::kNone;  // a text
            operands.push_back({isElsewhere ? from.regs[reg].type : typeOf(reg), value});
            continue;
        }
        const Type* type = context.types.intType();
        for (std::int64_t k = 0; k < value->type->extent; ++k)
            operands.push_back({type, Value::of(type, listItem(*value, k))});
    }
    return operands;
}

void ShapeInference::operation(const Instr& instr) {
    const std::vector<Operand> operands = operandsOf(instr);
    const Shaped shaped = resultOf(instr, operands, context.types);
    if (shaped.isOfRun) return fault.noteOfRun(instr, describe(instr), shaped.why);
    if (!shaped.type) return fault.note(instr, describe(instr), shaped.why);
    auto setInt = [&](std::int64_t value) {
        regs[instr.result] = w.integer(value);
        values.resize(w.body.regs.size());
        values.back() = Value::of(context.types.intType(), static_cast<std::int32_t>(value));
        known.set(instr.result, values.back());
    };
    switch (instr.tensor) {
        case TensorFn::Size: {
            const Dims& dims = operands[0].type->dims;
            return setInt(dims[*dimension(operands[1].constant->toInt(), dims.size())]);
        }
        case TensorFn::Rank:
            return setInt(static_cast<std::int64_t>(operands[0].type->dims.size()));
        case TensorFn::Stored: return stored(instr, shaped.type);
        default: break;
    }
    const bool isScalar = !isTensor(shaped.type);
    if (isScalar || instr.tensor == TensorFn::FromScalar ||
        fault.checkComputable(instr, shaped.type))
        emit(instr, shaped.type);
}

// ---- items

const Type* ShapeInference::arriving(const Instr& instr, std::int64_t offset) {
    const Sequence& input = context.in.input;
    const auto period = static_cast<std::int64_t>(input.size());
    if (period == 1) return input[0];
    if (depth == 0 && offset >= 0)
        return input[static_cast<std::size_t>((popped + offset) % period)];
    fault.noteOfRun(
        instr, describe(instr),
        "the items that arrive are of different types, and which of them this takes depends "
        "on the run");
    return nullptr;
}

void ShapeInference::take(const Instr& instr) {
    std::int64_t offset = 0;
    if (instr.op == Op::Peek) {
        const auto& at = known[instr.operands[0]];
        offset = at ? at->toInt() : -1;
    }
    const Type* type = arriving(instr, offset);
    if (!type || (instr.op != Op::Discard && !fault.checkComputable(instr, type))) return;
    Instr taking = instr;
    taking.type = type;
    emit(taking, type);
    if (instr.op != Op::Peek) ++popped;
}

void ShapeInference::push(const Instr& instr) {
    const Type* type = typeOf(instr.operands[0]);
    if (!fault.checkComputable(instr, type)) return;
    if (types::countElements(type) == 0)
        return fault.note(instr, describe(instr), types::toString(type) + " has no elements");
    state.output.push_back(type);
    if (depth > 0) state.isOutputRegular = false;
    emit(instr, nullptr);
}

// ---- calls of native functions

void ShapeInference::callNative(const Instr& instr) {
    const ir::Native& native = context.in.natives[instr.callee.index];
    const std::string name = "'" + native.package + "." + native.name + "'";
    for (std::size_t k = 0; k < instr.operands.size(); ++k) {
        if (!isTensor(native.params[k])) continue;
        const Type* given = typeOf(instr.operands[k]);
        if (!fault.checkComputable(instr, given)) return;
        if (!types::compatible(native.params[k], given))
            return fault.note(instr, name,
                              "argument " + std::to_string(k + 1) + " is declared as " +
                                  types::toString(native.params[k]) + " and gets " +
                                  types::toString(given));
    }
    if (!isTensor(native.result)) return emitScalar(instr);
    if (!isConcrete(native.result))
        return fault.noteUnknown(instr, "the shape of the result of " + name);
    checkExtents(instr, name, native.result->dims);
    if (fault || !fault.checkComputable(instr, native.result)) return;
    emit(instr, native.result);
    known.note(instr, w.body);
}

}  // namespace strc::tensor
