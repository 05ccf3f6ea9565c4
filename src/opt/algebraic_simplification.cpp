#include <cstring>
#include <numeric>

#include "opt/detail/tensor_body.h"
#include "opt/detail/tensor_passes.h"

namespace strc::opt {
namespace {

using ir::Instr;
using ir::Op;
using ir::Reg;
using types::TensorFn;
using types::Type;
using types::TypeKind;

class Simplifier {
public:
    Simplifier(const ir::Body& of, TensorFacts known)
        : body(of), facts(std::move(known)), instead(of.regs.size()) {
        std::iota(instead.begin(), instead.end(), Reg{0});
    }

    std::vector<Reg> run() {
        for (const Instr& instr : body.blocks[body.entry].instrs)
            if (instr.op == Op::Tensor && facts.types[instr.result])
                instead[instr.result] = simpler(instr);
        return std::move(instead);
    }

private:
    /// The register that has the same value.
    Reg simpler(const Instr& instr) const {
        switch (instr.tensor) {
            case TensorFn::Mul:
                if (isAll(operand(instr, 1), 1)) return unchanged(instr, 0);
                if (isAll(operand(instr, 0), 1)) return unchanged(instr, 1);
                break;
            case TensorFn::Div:
                if (isAll(operand(instr, 1), 1)) return unchanged(instr, 0);
                break;
            case TensorFn::Sub:
                if (isAll(operand(instr, 1), 0)) return unchanged(instr, 0);
                break;
            case TensorFn::Add:  // of reals it would make 0 of -0
                if (isInteger(instr) && isAll(operand(instr, 1), 0)) return unchanged(instr, 0);
                if (isInteger(instr) && isAll(operand(instr, 0), 0)) return unchanged(instr, 1);
                break;
            case TensorFn::Relu:
                if (isMadeBy(operand(instr, 0), TensorFn::Relu)) return operand(instr, 0);
                break;
            case TensorFn::Neg:
            case TensorFn::Transpose: return undone(instr);
            case TensorFn::Cast:
            case TensorFn::Broadcast:
            case TensorFn::Reshape:
            case TensorFn::Flatten: return unchanged(instr, 0);
            case TensorFn::Slice:
            case TensorFn::Narrow: return unchanged(instr, 0);
            case TensorFn::Pad:
                if (isAll(instr.operands[2], 0) && isAll(instr.operands[3], 0))
                    return unchanged(instr, 0);
                break;
            case TensorFn::Permute: return isInOrder(instr) ? unchanged(instr, 0) : instr.result;
            default: break;
        }
        return instr.result;
    }

    Reg operand(const Instr& instr, std::size_t k) const { return instead[instr.operands[k]]; }

    bool isInteger(const Instr& instr) const {
        const Type* element = facts.types[instr.result]->element;
        return element->is(TypeKind::Int) || element->is(TypeKind::Long) ||
               element->is(TypeKind::Int8);
    }

    /// The operand, if it is as large and of the same elements.
    Reg unchanged(const Instr& instr, std::size_t k) const {
        const Reg from = operand(instr, k);
        return facts.types[from] == facts.types[instr.result] ? from : instr.result;
    }

    const Instr* maker(Reg reg) const { return facts.makers[reg]; }

    bool isMadeBy(Reg reg, TensorFn fn) const {
        return maker(reg) && maker(reg)->op == Op::Tensor && maker(reg)->tensor == fn;
    }

    /// Done twice it does nothing.
    Reg undone(const Instr& instr) const {
        const Reg from = operand(instr, 0);
        if (!isMadeBy(from, instr.tensor)) return instr.result;
        const Instr& first = *maker(from);
        for (std::size_t k = 1; k < instr.operands.size(); ++k) {
            const auto &a = facts.constants[first.operands[k]],
                       &b = facts.constants[instr.operands[k]];
            if (!a || !b || *a != *b) return instr.result;
        }
        const Reg origin = operand(first, 0);
        return facts.types[origin] == facts.types[instr.result] ? origin : instr.result;
    }

    bool isInOrder(const Instr& instr) const {
        for (std::size_t k = 1; k < instr.operands.size(); ++k) {
            const auto& dim = facts.constants[instr.operands[k]];
            if (!dim || dim->toInt() != static_cast<std::int64_t>(k) - 1) return false;
        }
        return instr.operands.size() > 1;
    }

    /// Is the operand that number in all places?
    bool isAll(Reg reg, int number) const {
        const Instr* from = maker(reg);
        if (!from) return false;
        if (from->op == Op::Const) return isNumber(facts.constants[reg], number);
        if (from->op != Op::Tensor) return false;
        switch (from->tensor) {
            case TensorFn::FromScalar:
            case TensorFn::Full: return isAll(from->operands[0], number);
            case TensorFn::Ones: return number == 1;
            case TensorFn::Zeros: return number == 0;
            default: return false;
        }
    }

    static bool isNumber(const std::optional<types::Value>& value, int number) {
        if (!value) return false;
        switch (value->type->kind) {
            case TypeKind::Int: return value->toInt() == number;
            case TypeKind::Float: return isBits(value->as<float>(), static_cast<float>(number));
            case TypeKind::Double: return isBits(value->as<double>(), static_cast<double>(number));
            default: return false;
        }
    }

    /// -0 is not 0.
    template <typename Real>
    static bool isBits(Real a, Real b) {
        return std::memcmp(&a, &b, sizeof a) == 0;
    }

    const ir::Body& body;
    TensorFacts facts;
    std::vector<Reg> instead;
};

}  // namespace

namespace {

bool removeWhatChangesNothing(elab::Kernel& kernel, types::TypeTable& types) {
    ir::Body& body = *kernel.code.work;
    const std::vector<Reg> instead = Simplifier(body, factsOf(kernel, types)).run();
    bool changes = false;
    for (Reg reg = 0; reg < instead.size(); ++reg) changes = changes || instead[reg] != reg;
    if (changes) substitute(body, instead);
    return changes;
}

}  // namespace

bool simplifyArithmetic(const pass::Context& context, elab::Kernel& kernel) {
    types::TypeTable& types = context.types;
    bool changes = removeWhatChangesNothing(kernel, types);
    if (!moveOperations(kernel, types)) return changes;
    removeWhatChangesNothing(kernel, types);
    return true;
}

}  // namespace strc::opt
