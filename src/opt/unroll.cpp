#include "opt/detail/unroll.h"

#include <map>

#include "ir/fold_op.h"
#include "tensor/shape.h"

namespace strc::opt {
namespace {

using ir::BlockId;
using ir::Body;
using ir::Instr;
using ir::Op;
using ir::Reg;
using ir::Space;
using types::TensorFn;
using types::Type;
using types::TypeKind;
using types::Value;

constexpr std::size_t kMostUnrolled = 1 << 16;  ///< instructions

class Unroller {
public:
    Unroller(const elab::Kernel& of, const std::vector<const Type*>& items,
             std::size_t mostInstructions, types::TypeTable& table)
        : kernel(of),
          from(*of.code.work),
          arriving(items),
          most(mostInstructions),
          types(table),
          regs(from.regs.size()) {
        made = from;
        made.regs.clear();
        made.blocks.assign(1, {});
        made.entry = 0;
    }

    std::optional<Body> run() {
        if (!block(from.entry)) return std::nullopt;
        return std::move(made);
    }

private:
    /// False: it cannot be written out.
    bool block(BlockId id) {
        if (id == ir::kNone) return true;
        for (const Instr& instr : from.blocks[id].instrs) {
            if (made.blocks[0].instrs.size() > most) return false;
            switch (instr.op) {
                case Op::Break:
                case Op::Continue:
                case Op::Return: return false;
                case Op::Yield: yielded = regs[instr.operands[0]]; return true;
                case Op::If:
                    if (!branch(instr)) return false;
                    break;
                case Op::Loop:
                    if (!loop(instr)) return false;
                    break;
                default:
                    if (!plain(instr)) return false;
            }
        }
        return true;
    }

    std::optional<bool> truth(Reg reg) const {
        if (!constants[reg]) return std::nullopt;
        return constants[reg]->bytes[0] != 0;
    }

    bool branch(const Instr& instr) {
        const std::optional<bool> taken = truth(regs[instr.operands[0]]);
        if (!taken || !block(instr.blocks[*taken ? 0 : 1])) return false;
        if (instr.result != ir::kNone) regs[instr.result] = yielded;
        return true;
    }

    bool loop(const Instr& instr) {
        if (instr.flag) return false;
        for (std::size_t trips = 0; trips <= most; ++trips) {
            if (!block(instr.blocks[0])) return false;
            const std::optional<bool> goesOn = truth(yielded);
            if (!goesOn) return false;
            if (!*goesOn) return true;
            if (!block(instr.blocks[1]) || !block(instr.blocks[2])) return false;
        }
        return false;
    }

    bool plain(Instr instr) {
        for (Reg& operand : instr.operands) operand = regs[operand];
        const Type* tensor = tensorOf(instr);
        const std::optional<Value> value = valueOf(instr);
        if (instr.op == Op::Tensor && !tensor && !value && isTensor(instr.type)) return false;
        note(instr);
        if (instr.op == Op::Elem && referredBy(instr)) instr.checked = false;
        if (instr.result == ir::kNone) {
            made.blocks[0].instrs.push_back(std::move(instr));
            return true;
        }
        const Reg before = instr.result;
        instr.result = regs[before] = static_cast<Reg>(made.regs.size());
        made.regs.push_back(from.regs[before]);
        constants.push_back(value);
        tensors.push_back(tensor);
        referred.push_back(referredBy(instr));
        if (value && instr.op != Op::Const) {
            Instr constant;
            constant.op = Op::Const;
            constant.type = value->type;
            constant.value = *value;
            constant.result = instr.result;
            constant.range = instr.range;
            instr = std::move(constant);
        }
        made.blocks[0].instrs.push_back(std::move(instr));
        return true;
    }

    /// What variables hold from here on.
    void note(const Instr& instr) {
        if (instr.op == Op::Pop || instr.op == Op::Discard) ++popped;
        if (instr.var.space != Space::Local || (instr.op != Op::Store && instr.op != Op::Declare))
            return;
        values.erase(instr.var.index);
        held.erase(instr.var.index);
        if (instr.op == Op::Declare) return;
        const Reg reg = instr.operands[0];
        if (constants[reg]) values.emplace(instr.var.index, *constants[reg]);
        if (tensors[reg]) held.emplace(instr.var.index, tensors[reg]);
    }

    /// What a ref leads to, if nobody writes it.
    std::optional<Value> referredBy(const Instr& instr) const {
        if (instr.op == Op::Const && instr.type->isAggregate()) return instr.value;
        if (instr.op == Op::Addr && instr.var.space == Space::Constant &&
            kernel.code.openSlot(instr.var.index) == ir::kNone)
            return kernel.constants[instr.var.index];
        if (instr.op != Op::Elem) return std::nullopt;
        const auto& array = referred[instr.operands[0]];
        const auto& index = constants[instr.operands[1]];
        if (!array || !index) return std::nullopt;
        const std::int64_t at = index->toInt();
        if (at < 0 || at >= array->type->extent) return std::nullopt;
        const auto size = static_cast<std::size_t>(types::sizeOf(instr.type));
        return Value{instr.type, array->bytes.substr(static_cast<std::size_t>(at) * size, size)};
    }

    /// The concrete type of a result that is a tensor.
    const Type* tensorOf(const Instr& instr) {
        if (instr.result == ir::kNone || !isTensor(instr.type)) return nullptr;
        switch (instr.op) {
            case Op::Pop: return arriving.empty() ? nullptr : arriving[popped % arriving.size()];
            case Op::Peek: return arriving.size() == 1 ? arriving[0] : nullptr;
            case Op::Convert: return tensors[instr.operands[0]];
            case Op::Load:
                if (instr.var.space == Space::Field) return kernel.tensors[instr.var.index];
                return held.contains(instr.var.index) ? held.at(instr.var.index) : nullptr;
            case Op::Tensor: return shapeOf(instr);
            default: return nullptr;
        }
    }

    const Type* shapeOf(const Instr& instr) {
        std::vector<tensor::Operand> operands;
        for (Reg reg : instr.operands) {
            const Type* type = isTensor(made.regs[reg].type) ? tensors[reg] : made.regs[reg].type;
            if (!type || (!isTensor(type) && !constants[reg])) return nullptr;
            operands.push_back({type, constants[reg]});
        }
        const Type* type = tensor::resultOf(instr, operands, types).type;
        return isTensor(type) ? type : nullptr;
    }

    std::optional<Value> valueOf(const Instr& instr) const {
        if (instr.result == ir::kNone || from.regs[instr.result].ref || isTensor(instr.type))
            return std::nullopt;
        if (instr.op == Op::Const) return instr.value;
        if (instr.op == Op::Load && instr.var.space == Space::Local) {
            auto found = values.find(instr.var.index);
            return found == values.end() ? std::nullopt : std::optional(found->second);
        }
        if (instr.op == Op::LoadAt) return referred[instr.operands[0]];
        if (instr.op == Op::Tensor) return extentOf(instr);
        const bool isDivision = instr.op == Op::Div || instr.op == Op::Rem;
        if ((ir::info(instr.op).effects != ir::Effects::Pure && !isDivision) ||
            instr.operands.empty())
            return std::nullopt;
        std::vector<const Value*> operands;
        for (Reg reg : instr.operands) {
            if (!constants[reg]) return std::nullopt;
            operands.push_back(&*constants[reg]);
        }
        if (instr.op >= Op::Eq && instr.op <= Op::Ge) {
            const auto holds = ir::foldCompare(instr, *operands[0], *operands[1]);
            if (!holds) return std::nullopt;
            return Value::of(types.boolean(), static_cast<std::uint8_t>(*holds));
        }
        return ir::foldOp(instr, operands);
    }

    std::optional<Value> extentOf(const Instr& instr) const {
        const bool isSize = instr.tensor == TensorFn::Size;
        if (!isSize && instr.tensor != TensorFn::Rank) return std::nullopt;
        const Type* of = tensors[instr.operands[0]];
        if (!of) return std::nullopt;
        auto extent = static_cast<std::int64_t>(of->dims.size());
        if (isSize) {
            const auto& dim = constants[instr.operands[1]];
            const auto at = dim ? tensor::dimension(dim->toInt(), of->dims.size()) : std::nullopt;
            if (!at) return std::nullopt;
            extent = of->dims[*at];
        }
        return Value::of(types.intType(), static_cast<std::int32_t>(extent));
    }

    const elab::Kernel& kernel;
    const Body& from;
    const std::vector<const Type*>& arriving;
    const std::size_t most;
    types::TypeTable& types;
    Body made;
    std::vector<Reg> regs;  ///< by register of the old body
    std::vector<std::optional<Value>> constants;  ///< by register of the new one
    std::vector<const Type*> tensors;
    std::vector<std::optional<Value>> referred;
    std::map<std::uint32_t, Value> values;  ///< by variable
    std::map<std::uint32_t, const Type*> held;
    std::size_t popped = 0;
    Reg yielded = ir::kNone;
};

}  // namespace

std::optional<ir::Body> unrolled(const elab::Kernel& kernel,
                                 const std::vector<const Type*>& arriving, std::size_t most,
                                 types::TypeTable& types) {
    return Unroller(kernel, arriving, most, types).run();
}

bool unroll(const pass::Context& context, elab::Kernel& kernel) {
    std::vector<const Type*> arriving;
    if (isTensor(kernel.input) && isConcrete(kernel.input)) arriving.push_back(kernel.input);
    std::optional<Body> made = unrolled(kernel, arriving, kMostUnrolled, context.types);
    if (!made) return false;
    kernel.code.work = std::move(made);
    return true;
}

}  // namespace strc::opt
