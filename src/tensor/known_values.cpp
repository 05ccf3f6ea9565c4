#include "tensor/detail/known_values.h"

#include <algorithm>
#include <cstring>

#include "ir/fold_op.h"

namespace strc::tensor {

using ir::BlockId;
using ir::Instr;
using ir::Op;
using ir::Reg;
using ir::Space;
using types::TypeKind;

namespace {

/// Arrays that are not its own: itself, or by a function.
bool mayChangeArrays(const ir::Body& body) {
    auto changes = [](const Instr& instr) {
        return instr.op == Op::StoreAt || instr.op == Op::Copy || instr.op == Op::Call ||
               (instr.op == Op::Declare && instr.var.space == Space::Global);
    };
    return std::any_of(body.blocks.begin(), body.blocks.end(), [&](const ir::Block& block) {
        return std::any_of(block.instrs.begin(), block.instrs.end(), changes);
    });
}

void forgetSpace(KnownVariables& variables, Space space) {
    const auto isThere = [space](const auto& entry) {
        return entry.first.first == static_cast<int>(space);
    };
    std::erase_if(variables.scalars, isThere);
    std::erase_if(variables.arrays, isThere);
}

}  // namespace

std::int32_t listItem(const Value& list, std::int64_t k) {
    std::int32_t item;
    std::memcpy(&item, list.bytes.data() + static_cast<std::size_t>(k) * sizeof item, sizeof item);
    return item;
}

KnownValues::KnownValues(const BodyContext& of, KnownVariables before)
    : context(of), variables(std::move(before)), registers(of.body.regs.size()) {}

KnownVariables KnownValues::ofFields() const {
    KnownVariables fields = variables;
    forgetSpace(fields, Space::Local);
    return fields;
}

KnownValues::Key KnownValues::key(ir::VarRef var) {
    return {static_cast<int>(var.space), var.index};
}

bool KnownValues::isFollowed(ir::VarRef var) const {
    if (var.space == Space::Local) return var.index != ir::kNone;
    const ir::BodyKind kind = context.body.kind;
    const bool isSetup = kind == ir::BodyKind::Setup || kind == ir::BodyKind::Init;
    return var.space == Space::Field && isSetup && !context.in.areFieldsKnown;
}

bool KnownValues::isFollowedArray(const Instr& addr) const {
    return isFollowed(addr.var) && variables.arrays.contains(key(addr.var));
}

void KnownValues::note(const Instr& instr, const ir::Body& made) {
    if (instr.op == Op::Store && isFollowed(instr.var)) noteStore(instr);
    if (instr.op == Op::Declare && isFollowed(instr.var)) variables.scalars.erase(key(instr.var));
    if (instr.op == Op::Call) forgetSpace(variables, Space::Field);
    noteArray(instr, made);
    if (instr.result != ir::kNone) registers[instr.result] = valueOf(instr, made);
}

void KnownValues::noteStore(const Instr& instr) {
    if (const auto& value = registers[instr.operands[0]])
        variables.scalars.insert_or_assign(key(instr.var), *value);
    else
        variables.scalars.erase(key(instr.var));
}

std::optional<KnownValues::ElementRef> KnownValues::elementRefOf(const Instr& instr,
                                                                 std::size_t k) const {
    const auto found = elementRefs.find(instr.operands[k]);
    return found == elementRefs.end() ? std::nullopt : std::optional(found->second);
}

void KnownValues::noteArray(const Instr& instr, const ir::Body& made) {
    switch (instr.op) {
        case Op::Declare: return declareArray(instr, made);
        case Op::Addr:
            if (isFollowedArray(instr)) elementRefs[instr.result] = {key(instr.var), 0};
            return;
        case Op::Elem:
            if (const auto array = elementRefOf(instr, 0)) {
                const auto& index = registers[instr.operands[1]];
                elementRefs[instr.result] = {array->variable, index ? index->toInt() : -1};
            }
            return;
        case Op::LoadAt: return;
        case Op::Copy:
            if (const auto to = elementRefOf(instr, 0))
                copyArray(*to, registers[instr.operands[1]]);
            return;
        case Op::StoreAt:
            if (const auto to = elementRefOf(instr, 0)) setItem(*to, registers[instr.operands[1]]);
            return;
        default:
            for (std::size_t k = 0; k < instr.operands.size(); ++k)
                if (const auto used = elementRefOf(instr, k))
                    variables.arrays.erase(used->variable);
    }
}

void KnownValues::declareArray(const Instr& instr, const ir::Body& made) {
    if (!isFollowed(instr.var)) return;
    const bool isLocal = instr.var.space == Space::Local;
    const Type* type =
        isLocal ? made.locals[instr.var.index].type : context.code.fields[instr.var.index].type;
    variables.arrays.erase(key(instr.var));
    if (maySayShape(type)) variables.arrays.emplace(key(instr.var), Value::zero(type));
}

void KnownValues::copyArray(const ElementRef& to, const std::optional<Value>& value) {
    const auto array = variables.arrays.find(to.variable);
    if (array == variables.arrays.end()) return;
    if (value && to.item == 0 && value->bytes.size() == array->second.bytes.size())
        array->second.bytes = value->bytes;
    else
        variables.arrays.erase(array);
}

void KnownValues::setItem(const ElementRef& to, const std::optional<Value>& value) {
    const auto array = variables.arrays.find(to.variable);
    if (array == variables.arrays.end()) return;
    const bool isInside = to.item >= 0 && to.item < array->second.type->extent;
    if (value && isInside)
        array->second.bytes.replace(static_cast<std::size_t>(to.item) * 4, 4, value->bytes);
    else
        variables.arrays.erase(array);
}

std::optional<Value> KnownValues::valueOf(const Instr& instr, const ir::Body& made) const {
    switch (instr.op) {
        case Op::Const: return instr.value;
        case Op::Addr: return atAddress(instr);
        case Op::Load: {
            if (!isFollowed(instr.var)) return std::nullopt;
            const auto found = variables.scalars.find(key(instr.var));
            return found == variables.scalars.end() ? std::nullopt : std::optional(found->second);
        }
        case Op::Extent: return extent(instr, made);
        case Op::Elem: return elementValue(instr);
        case Op::LoadAt: return registers[instr.operands[0]];
        default: return folded(instr);
    }
}

std::optional<Value> KnownValues::atAddress(const Instr& instr) const {
    if (isFollowedArray(instr)) return variables.arrays.at(key(instr.var));
    if (instr.var.space == Space::Global) return staticArray(instr.var.index);
    if (instr.var.space != Space::Constant || context.code.openSlot(instr.var.index) != ir::kNone ||
        instr.var.index >= context.in.constants.size())
        return std::nullopt;
    return context.in.constants[instr.var.index];
}

std::optional<Value> KnownValues::extent(const Instr& instr, const ir::Body& made) const {
    const bool isLocal = instr.var.space == Space::Local && instr.index == 0;
    const Type* type = isLocal ? made.locals[instr.var.index].type : nullptr;
    if (!type || !type->is(TypeKind::Array) || type->extent == types::kDynamic) return std::nullopt;
    return Value::of(instr.type, static_cast<std::int32_t>(type->extent));
}

std::optional<Value> KnownValues::staticArray(std::uint32_t global) const {
    const ir::Module* module = context.in.module;
    if (!module || global >= module->globalValues.size()) return std::nullopt;
    const Value& value = module->globalValues[global];
    const bool mayChange = context.in.isStaticItem && mayChangeArrays(context.body);
    if (!value.type || !maySayShape(value.type) || mayChange) return std::nullopt;
    return value;
}

std::optional<Value> KnownValues::elementValue(const Instr& instr) const {
    const auto& array = registers[instr.operands[0]];
    const auto& index = registers[instr.operands[1]];
    if (!array || !index || !array->type->is(TypeKind::Array)) return std::nullopt;
    const std::int64_t at = index->toInt();
    if (at < 0 || at >= array->type->extent) return std::nullopt;
    const auto size = static_cast<std::size_t>(types::sizeOf(array->type->element));
    return Value{array->type->element,
                 array->bytes.substr(static_cast<std::size_t>(at) * size, size)};
}

std::optional<Value> KnownValues::folded(const Instr& instr) const {
    const bool isDivision = instr.op == Op::Div || instr.op == Op::Rem;
    if (instr.operands.empty() || (ir::info(instr.op).effects != ir::Effects::Pure && !isDivision))
        return std::nullopt;
    std::vector<const Value*> operands;
    for (Reg reg : instr.operands) {
        if (!registers[reg] || context.body.regs[reg].ref) return std::nullopt;
        operands.push_back(&*registers[reg]);
    }
    if (instr.op < Op::Eq || instr.op > Op::Ge) return ir::foldOp(instr, operands);
    const std::optional<bool> holds = ir::foldCompare(instr, *operands[0], *operands[1]);
    if (!holds) return std::nullopt;
    return Value::of(context.body.regs[instr.result].type, static_cast<std::uint8_t>(*holds));
}

void KnownValues::forget(const Instr& control) {
    for (BlockId block : control.blocks) forgetStored(block);
}

void KnownValues::forgetStored(BlockId id) {
    if (id == ir::kNone) return;
    for (const Instr& instr : context.body.blocks[id].instrs) {
        const bool changes =
            instr.op == Op::Store || instr.op == Op::Declare || instr.op == Op::Addr;
        if (changes && isFollowed(instr.var)) {
            variables.scalars.erase(key(instr.var));
            variables.arrays.erase(key(instr.var));
        }
        if (instr.op == Op::Call) forgetSpace(variables, Space::Field);
        for (BlockId block : instr.blocks) forgetStored(block);
    }
}

}  // namespace strc::tensor
