#include "tensor/operation.h"

#include "ir/writer.h"
#include "tensor/detail/expander.h"

namespace strc::tensor {

using ir::Instr;
using ir::Op;
using ir::Reg;
using ir::Space;
using types::TensorFn;
using types::TypeKind;

namespace {

class Assembly {
public:
    Assembly(const Instr& from, types::TypeTable& table) : instr(from), types(table), w(table) {
        w.range = instr.range;
    }

    Operation run(std::span<const Operand> operands, const Type* result) {
        std::vector<Reg> regs;
        for (std::size_t k = 0; k < operands.size(); ++k)
            regs.push_back(operand(operands[k], k, operands.size()));
        Instr& operation = w.emit(Op::Tensor, instr.type, std::move(regs));
        operation.tensor = instr.tensor;
        operation.math = instr.math;
        const Reg value = w.result(isTensor(result) ? types.tensor() : result, false);
        made.result = field(result);
        w.store({Space::Field, made.result}, w.body.regs[value].type, value);
        w.body.kind = ir::BodyKind::Work;
        w.body.range = w.body.header = instr.range;
        made.code.work = std::move(w.body);
        const Sequence none;
        base::Passes passes;  // attention in blocks, whose sums are products
        made.fault = expandWork(made.code, {{}, none, fields, false, &passes}, {}, types);
        return std::move(made);
    }

private:
    std::uint32_t field(const Type* type) {
        made.code.fields.push_back({"", type, instr.range});
        fields.types.push_back(isTensor(type) ? type : nullptr);
        fields.stored.push_back(ir::kNone);
        return static_cast<std::uint32_t>(made.code.fields.size() - 1);
    }

    Reg operand(const Operand& given, std::size_t k, std::size_t count) {
        const bool isMemory = isTensor(given.type) || given.type->is(TypeKind::Array);
        if (!isMemory && !types::isValueOfRun(instr.tensor, k, count)) {
            made.operands.push_back(ir::kNone);
            return w.constant(*given.constant);
        }
        const std::uint32_t index = field(given.type);
        made.operands.push_back(index);
        const ir::VarRef var{Space::Field, index};
        if (given.type->is(TypeKind::Array)) return w.address(var, given.type);
        return w.load(var, isTensor(given.type) ? types.tensor() : given.type);
    }

    const Instr& instr;
    types::TypeTable& types;
    ir::Writer w;
    Operation made;
    Fields fields;
};

}  // namespace

Operation assemble(const Instr& instr, std::span<const Operand> operands, const Type* result,
                   types::TypeTable& types) {
    return Assembly(instr, types).run(operands, result);
}

}  // namespace strc::tensor
