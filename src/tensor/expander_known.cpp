// Follows values that are known when the graph is built: folds branches and unrolls loops.

#include <algorithm>

#include "ir/fold_op.h"
#include "tensor/expander.h"

namespace strc::tensor {

using ir::BlockId;
using ir::Instr;
using ir::Op;
using ir::Reg;
using ir::Space;
using types::TypeKind;

namespace {

/// Rounds and instructions beyond which no loop is written out.
constexpr int kMostTrips = 4096;
constexpr int kFewTrips = 64;
constexpr std::size_t kMostInstructions = 1 << 18;

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

std::size_t countInstructions(const ir::Body& body) {
    std::size_t count = 0;
    for (const ir::Block& block : body.blocks) count += block.instrs.size();
    return count;
}

}  // namespace

void KnownVariables::forgetFields() {
    const auto isField = [](const auto& entry) {
        return entry.first.first == static_cast<int>(Space::Field);
    };
    std::erase_if(scalars, isField);
    std::erase_if(arrays, isField);
}

void BodyExpander::rememberFields() {
    const auto isLocal = [](const auto& entry) {
        return entry.first.first == static_cast<int>(Space::Local);
    };
    std::erase_if(known.scalars, isLocal);
    std::erase_if(known.arrays, isLocal);
    state.known = std::move(known);
}

/// Local variables; fields while they get their first values.
bool BodyExpander::isFollowed(ir::VarRef var) const {
    if (var.space == Space::Local) return var.index != ir::kNone;
    const bool isSetup = from.kind == ir::BodyKind::Setup || from.kind == ir::BodyKind::Init;
    return var.space == Space::Field && isSetup && !in.areFieldsKnown;
}

const Type* BodyExpander::typeOfFollowed(ir::VarRef var) const {
    return var.space == Space::Local ? w.body.locals[var.index].type : code.fields[var.index].type;
}

void BodyExpander::note(const Instr& instr) {
    if (instr.op == Op::Store && isFollowed(instr.var)) {
        const auto& value = constants[instr.operands[0]];
        if (value)
            known.scalars.insert_or_assign(key(instr.var), *value);
        else
            known.scalars.erase(key(instr.var));
    }
    if (instr.op == Op::Declare && isFollowed(instr.var)) known.scalars.erase(key(instr.var));
    if (instr.op == Op::Call) known.forgetFields();
    noteArray(instr);
    if (instr.result != ir::kNone) constants[instr.result] = valueOf(instr);
}

void BodyExpander::noteArray(const Instr& instr) {
    auto elementRefOf = [&](std::size_t k) {
        auto elementRef = elementRefs.find(instr.operands[k]);
        return elementRef == elementRefs.end() ? std::nullopt : std::optional(elementRef->second);
    };
    switch (instr.op) {
        case Op::Declare: {
            if (!isFollowed(instr.var)) return;
            const Type* type = typeOfFollowed(instr.var);
            known.arrays.erase(key(instr.var));
            if (maySayShape(type)) known.arrays.emplace(key(instr.var), Value::zero(type));
            return;
        }
        case Op::Addr:
            if (isFollowed(instr.var) && known.arrays.contains(key(instr.var)))
                elementRefs[instr.result] = {key(instr.var), 0};
            return;
        case Op::Elem:
            if (const auto elementRef = elementRefOf(0)) {
                const auto& index = constants[instr.operands[1]];
                if (index)
                    elementRefs[instr.result] = {elementRef->variable, index->toInt()};
                else
                    elementRefs[instr.result] = {elementRef->variable, -1};
            }
            return;
        case Op::LoadAt: return;
        case Op::Copy:
            if (const auto elementRef = elementRefOf(0)) {
                const auto& value = constants[instr.operands[1]];
                auto array = known.arrays.find(elementRef->variable);
                if (array == known.arrays.end()) return;
                if (value && elementRef->item == 0 &&
                    value->bytes.size() == array->second.bytes.size())
                    array->second.bytes = value->bytes;
                else
                    known.arrays.erase(array);
            }
            return;
        case Op::StoreAt:
            if (const auto elementRef = elementRefOf(0)) {
                const auto& value = constants[instr.operands[1]];
                auto array = known.arrays.find(elementRef->variable);
                if (array == known.arrays.end()) return;
                const bool isInside =
                    elementRef->item >= 0 && elementRef->item < array->second.type->extent;
                if (value && isInside)
                    array->second.bytes.replace(static_cast<std::size_t>(elementRef->item) * 4, 4,
                                                value->bytes);
                else
                    known.arrays.erase(array);
            }
            return;
        default:
            for (std::size_t k = 0; k < instr.operands.size(); ++k)
                if (const auto elementRef = elementRefOf(k))
                    known.arrays.erase(elementRef->variable);
    }
}

void BodyExpander::fixExtents(const Instr& instr, Instr& made) {
    const bool hasVariable = instr.op == Op::Addr || instr.op == Op::Declare;
    if (!hasVariable || instr.var.space != Space::Local) return;
    ir::Variable& local = w.body.locals[instr.var.index];
    if (instr.op == Op::Addr) {
        if (!isTensor(instr.type)) made.type = local.type;
    } else if (instr.operands.size() == 1 && constants[instr.operands[0]] &&
               constants[instr.operands[0]]->toInt() >= 0) {
        local.type =
            types.array(types::innermost(local.type), constants[instr.operands[0]]->toInt());
        made.type = local.type;
        made.operands.clear();
    }
}

std::optional<Value> BodyExpander::valueOf(const Instr& instr) const {
    switch (instr.op) {
        case Op::Const: return instr.value;
        case Op::Addr:
            if (auto array = known.arrays.find(key(instr.var));
                isFollowed(instr.var) && array != known.arrays.end())
                return array->second;
            if (instr.var.space == Space::Global) return staticArray(instr.var.index);
            if (instr.var.space != Space::Constant || code.openSlot(instr.var.index) != ir::kNone ||
                instr.var.index >= in.constants.size())
                return std::nullopt;
            return in.constants[instr.var.index];
        case Op::Load: {
            if (!isFollowed(instr.var)) return std::nullopt;
            auto found = known.scalars.find(key(instr.var));
            return found == known.scalars.end() ? std::nullopt : std::optional(found->second);
        }
        case Op::Extent: {
            const bool isLocal = instr.var.space == Space::Local && instr.index == 0;
            const Type* type = isLocal ? w.body.locals[instr.var.index].type : nullptr;
            if (!type || !type->is(TypeKind::Array) || type->extent == types::kDynamic)
                return std::nullopt;
            return Value::of(instr.type, static_cast<std::int32_t>(type->extent));
        }
        case Op::Elem: return elementValue(instr);
        case Op::LoadAt: return constants[instr.operands[0]];
        default: return folded(instr);
    }
}

std::optional<Value> BodyExpander::staticArray(std::uint32_t global) const {
    if (!in.module || global >= in.module->globalValues.size()) return std::nullopt;
    const Value& value = in.module->globalValues[global];
    if (!value.type || !maySayShape(value.type) || (in.isStaticItem && mayChangeArrays(from)))
        return std::nullopt;
    return value;
}

std::optional<Value> BodyExpander::elementValue(const Instr& instr) const {
    const auto& array = constants[instr.operands[0]];
    const auto& index = constants[instr.operands[1]];
    if (!array || !index || !array->type->is(TypeKind::Array)) return std::nullopt;
    const std::int64_t at = index->toInt();
    if (at < 0 || at >= array->type->extent) return std::nullopt;
    const auto size = static_cast<std::size_t>(types::sizeOf(array->type->element));
    return Value{array->type->element,
                 array->bytes.substr(static_cast<std::size_t>(at) * size, size)};
}

std::optional<Value> BodyExpander::folded(const Instr& instr) const {
    const bool isDivision = instr.op == Op::Div || instr.op == Op::Rem;
    if (instr.operands.empty() || (ir::info(instr.op).effects != ir::Effects::Pure && !isDivision))
        return std::nullopt;
    std::vector<const Value*> operands;
    for (Reg reg : instr.operands) {
        if (!constants[reg] || from.regs[reg].ref) return std::nullopt;
        operands.push_back(&*constants[reg]);
    }
    if (instr.op < Op::Eq || instr.op > Op::Ge) return ir::foldOp(instr, operands);
    const std::optional<bool> holds = ir::foldCompare(instr, *operands[0], *operands[1]);
    if (!holds) return std::nullopt;
    return Value::of(from.regs[instr.result].type, static_cast<std::uint8_t>(*holds));
}

/// Variables that a branch or an iteration may change are unknown behind it, and at the beginning of the next iteration.
void BodyExpander::forget(const Instr& control) {
    for (BlockId block : control.blocks) forgetStored(block);
}

void BodyExpander::forgetStored(BlockId id) {
    if (id == ir::kNone) return;
    for (const Instr& instr : from.blocks[id].instrs) {
        const bool changes =
            instr.op == Op::Store || instr.op == Op::Declare || instr.op == Op::Addr;
        if (changes && isFollowed(instr.var)) {
            known.scalars.erase(key(instr.var));
            known.arrays.erase(key(instr.var));
        }
        if (instr.op == Op::Call) known.forgetFields();
        for (BlockId block : instr.blocks) forgetStored(block);
    }
}

// ---- branches

bool BodyExpander::takeBranch(const Instr& instr) {
    const auto& condition = constants[instr.operands[0]];
    if (!condition || leaves(instr.blocks[0], false) || leaves(instr.blocks[1], false))
        return false;
    const bool isTrue = condition->bytes[0] != 0;
    addUses(instr.blocks[isTrue ? 1 : 0], -1);
    if (const BlockId taken = instr.blocks[isTrue ? 0 : 1]; taken != ir::kNone)
        inlined(taken, instr.result);
    return true;
}

/// Does it end in another place than its end?
bool BodyExpander::leaves(BlockId id, bool isInLoop) const {
    if (id == ir::kNone) return false;
    for (const Instr& instr : from.blocks[id].instrs) {
        if (instr.op == Op::Return) return true;
        if (!isInLoop && (instr.op == Op::Break || instr.op == Op::Continue)) return true;
        const bool isLoop = isInLoop || instr.op == Op::Loop;
        for (BlockId block : instr.blocks)
            if (leaves(block, isLoop)) return true;
    }
    return false;
}

void BodyExpander::inlined(BlockId id, Reg result) {
    for (const Instr& instr : from.blocks[id].instrs) {
        w.range = instr.range;
        if (instr.op != Op::Yield) {
            expandInstr(instr);
        } else if (const Reg value = instr.operands[0]; result != ir::kNone) {
            regs[result] = regs[value];
            constants[result] = constants[value];
            nodes[result] = nullptr;
            if (nodes[value]) {
                nodes[result] = nodes[value];
                if (uses[result] > 0) live.push_back(result);
            }
        }
        for (Reg operand : instr.operands) --uses[operand];
    }
}

void BodyExpander::addUses(BlockId id, int times) {
    if (id == ir::kNone) return;
    for (const Instr& instr : from.blocks[id].instrs) {
        for (Reg operand : instr.operands) uses[operand] += times;
        for (BlockId block : instr.blocks) addUses(block, times);
    }
}

// ---- loops

bool BodyExpander::decidesOnShapes(BlockId id) const {
    if (id == ir::kNone) return false;
    auto decides = [&](const Instr& instr) {
        if (instr.op == Op::Tensor || instr.op == Op::Require || isTensor(instr.type)) return true;
        if (instr.op == Op::Pop || instr.op == Op::Peek) return !in.input.empty();
        if (instr.op == Op::Addr && isFollowed(instr.var) && known.arrays.contains(key(instr.var)))
            return true;
        return std::any_of(instr.blocks.begin(), instr.blocks.end(),
                           [&](BlockId block) { return decidesOnShapes(block); });
    };
    const std::vector<Instr>& instrs = from.blocks[id].instrs;
    return std::any_of(instrs.begin(), instrs.end(), decides);
}

void BodyExpander::registersOf(BlockId id, std::set<Reg>& used, std::set<Reg>& made) const {
    if (id == ir::kNone) return;
    for (const Instr& instr : from.blocks[id].instrs) {
        used.insert(instr.operands.begin(), instr.operands.end());
        if (instr.result != ir::kNone) made.insert(instr.result);
        for (BlockId block : instr.blocks) registersOf(block, used, made);
    }
}

bool BodyExpander::unroll(const Instr& instr) {
    const auto [test, body, step] = instr.blocks;
    if (instr.flag || leaves(body, false)) return false;
    // Values from outside of the loop are needed until its last iteration.
    std::set<Reg> used, made;
    for (BlockId block : instr.blocks) {
        addUses(block, -1);
        registersOf(block, used, made);
    }
    for (Reg reg : made) used.erase(reg);
    for (Reg reg : used) ++uses[reg];
    const bool isUnrolled = decidesOnShapes(body) ? writeOut(instr) : writeOutFew(instr);
    for (Reg reg : used) --uses[reg];
    if (!isUnrolled)
        for (BlockId block : instr.blocks) addUses(block, 1);
    return isUnrolled;
}

bool BodyExpander::writeOut(const Instr& loop) {
    for (int trips = 0;; ++trips) {
        const std::optional<bool> more = condition(loop);
        if (!more && trips == 0) return false;
        unrolled = true;
        if (!more || trips == kMostTrips || countInstructions(w.body) > kMostInstructions)
            stopOfRun(loop, "a loop",
                      "its rounds have to be written out, and are too many or not known");
        if (!*more) return true;
        writeIteration(loop);
    }
}

/// A loop of scalars may compute what others depend on, but is left alone if it has many iterations.
bool BodyExpander::writeOutFew(const Instr& loop) {
    const ir::Body before = w.body;
    const KnownVariables variables = known;
    for (int trips = 0; trips <= kFewTrips; ++trips) {
        const std::optional<bool> more = condition(loop);
        if (!more) break;
        if (!*more) return true;
        writeIteration(loop);
    }
    w.body = before;
    known = variables;
    return false;
}

void BodyExpander::writeIteration(const Instr& loop) {
    iterationLocals.enter(loop);
    for (BlockId block : {loop.blocks[1], loop.blocks[2]}) {
        addUses(block, 1);
        if (block != ir::kNone) inlined(block, ir::kNone);
    }
    iterationLocals.leave(loop);
}

/// Whether there is another iteration, if that is known.
std::optional<bool> BodyExpander::condition(const Instr& loop) {
    const BlockId test = loop.blocks[0];
    addUses(test, 1);
    inlined(test, ir::kNone);
    const auto& value = constants[from.blocks[test].instrs.back().operands[0]];
    return value ? std::optional(value->bytes[0] != 0) : std::nullopt;
}

}  // namespace strc::tensor
