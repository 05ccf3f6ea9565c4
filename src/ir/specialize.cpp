#include "ir/specialize.h"

#include <algorithm>
#include <unordered_map>

#include "base/assert.h"
#include "ir/fold_op.h"
#include "ir/stored_fields.h"

namespace strc::ir {
namespace {

using types::TypeKind;

/// Known values of the stream's variables; all others stay as they are.
struct Facts {
    const Bindings* bindings = nullptr;
    std::vector<const Value*> fields;  ///< fields that keep their value after init
    types::TypeTable* types = nullptr;
    const StreamCode* code = nullptr;  ///< says which constants are open

    bool isOpen(std::uint32_t constant) const { return code && code->openSlot(constant) != kNone; }
};

/// Rewrites one body block by block, in order: every register is defined before its uses, so one
/// walk folds all there is to fold. Recursion follows the nesting of the code only.
class Folder {
public:
    Folder(Body& body, const Facts& known) : body(body), known(known), constants(body.regs.size()) {
        alias.resize(body.regs.size());
        for (Reg reg = 0; reg < alias.size(); ++reg) alias[reg] = reg;
    }

    void fold() {
        foldBlock(body.entry);
        clearUnreached();
        removeUnused();
    }

private:
    void foldBlock(BlockId id) {
        if (id == kNone) return;
        std::vector<Instr> old = std::move(body.blocks[id].instrs);
        std::vector<Instr> fresh;
        fresh.reserve(old.size());
        appendFolded(std::move(old), fresh);
        body.blocks[id].instrs = std::move(fresh);
    }

    void appendFolded(std::vector<Instr> old, std::vector<Instr>& to) {
        for (Instr& instr : old) {
            for (Reg& operand : instr.operands) operand = alias[operand];
            if (instr.op == Op::If && constants[instr.operands[0]]) {
                if (appendBranch(instr, to)) return;
                continue;
            }
            if (instr.op == Op::CheckExtent && areEqual(instr.operands[0], instr.operands[1]))
                continue;
            if (instr.op == Op::Require && isTrue(instr.operands[0])) continue;
            rewrite(instr);
            bool ends = instr.op == Op::Return || instr.op == Op::Break || instr.op == Op::Continue;
            to.push_back(std::move(instr));
            if (ends) return;
        }
    }

    bool isTrue(Reg reg) const { return constants[reg] && constants[reg]->bytes[0] != 0; }
    bool areEqual(Reg a, Reg b) const {
        return constants[a] && constants[b] && *constants[a] == *constants[b];
    }

    /// Puts the branch that is taken in place of the If. True: it ends the block.
    bool appendBranch(const Instr& branch, std::vector<Instr>& to) {
        bool taken = constants[branch.operands[0]]->bytes[0] != 0;
        BlockId id = branch.blocks[taken ? 0 : 1];
        if (id == kNone) return false;
        appendFolded(std::move(body.blocks[id].instrs), to);
        body.blocks[id].instrs.clear();
        if (to.empty()) return false;
        if (to.back().op == Op::Yield && branch.result != kNone) {
            alias[branch.result] = to.back().operands[0];
            to.pop_back();
            return false;
        }
        Op last = to.back().op;
        return last == Op::Return || last == Op::Break || last == Op::Continue;
    }

    void rewrite(Instr& instr) {
        switch (instr.op) {
            case Op::Const:
                if (!instr.type->isAggregate()) constants[instr.result] = instr.value;
                return;
            case Op::Load: return rewriteLoad(instr);
            case Op::Extent: return rewriteExtent(instr);
            case Op::Declare: return rewriteDeclare(instr);
            case Op::Addr:
                if (instr.type->is(TypeKind::Tensor)) return;  // as a native function is handed it
                retype(instr, variableType(instr.var));
                if (const Value* array = fieldValue(instr.var)) makeArray(instr, *array);
                return;
            case Op::Elem: return rewriteElem(instr);
            case Op::Copy: return rewriteBytes(instr, 2);
            case Op::Zero: return rewriteBytes(instr, 1);
            case Op::PushFrom: instr.type = sideType(1, instr.type); return;
            case Op::PopInto:
            case Op::PeekInto:
            case Op::Discard: instr.type = sideType(0, instr.type); return;
            case Op::If:
            case Op::Loop:
                for (BlockId block : instr.blocks) foldBlock(block);
                return;
            default: foldPure(instr);
        }
    }

    void makeConst(Instr& instr, Value value) {
        Instr constant;
        constant.op = Op::Const;
        constant.type = instr.type;
        constant.result = instr.result;
        constant.range = instr.range;
        constants[instr.result] = value;
        constant.value = std::move(value);
        instr = std::move(constant);
    }

    /// Makes the instruction a ref to a constant array.
    static void makeArray(Instr& instr, const Value& array) {
        instr.op = Op::Const;
        instr.value = array;
        instr.var = {};
    }

    const Value* fieldValue(VarRef var) const {
        const bool isField = var.space == Space::Field && var.index < known.fields.size();
        return isField ? known.fields[var.index] : nullptr;
    }

    void rewriteLoad(Instr& instr) {
        if (instr.var.space == Space::Constant && known.bindings && !known.isOpen(instr.var.index))
            makeConst(instr, known.bindings->constants[instr.var.index]);
        else if (const Value* value = fieldValue(instr.var))
            makeConst(instr, *value);
    }

    const Type* sideType(int side, const Type* otherwise) const {
        if (!known.bindings || otherwise->isScalar()) return otherwise;
        return side == 0 ? known.bindings->input : known.bindings->output;
    }

    /// Concrete if it can be known.
    const Type* variableType(VarRef var) const {
        if (var.space == Space::Local) return body.locals[var.index].type;
        if (!known.bindings) return nullptr;
        switch (var.space) {
            case Space::Field:
                return known.bindings->fieldTypes.empty() ? nullptr
                                                          : known.bindings->fieldTypes[var.index];
            case Space::Constant: return known.bindings->constants[var.index].type;
            case Space::Input: return known.bindings->input;
            case Space::Output: return known.bindings->output;
            default: return nullptr;
        }
    }

    void rewriteExtent(Instr& instr) {
        const Type* type = variableType(instr.var);
        for (std::uint32_t k = 0; type && k < instr.index; ++k) type = type->element;
        if (type && type->extent != types::kDynamic)
            makeConst(instr, Value::of(instr.type, static_cast<std::int32_t>(type->extent)));
    }

    /// A local whose extents have become literals gets its concrete type.
    void rewriteDeclare(Instr& instr) {
        if (instr.operands.empty() || instr.var.space != Space::Local || !known.types) return;
        for (Reg extent : instr.operands)
            if (!constants[extent] || constants[extent]->toInt() < 0) return;
        Variable& local = body.locals[instr.var.index];
        if (local.type->is(TypeKind::Tensor)) return;  // tensor::expand sees to it
        const Type* type = types::innermost(local.type);
        for (std::size_t k = instr.operands.size(); k-- > 0;)
            type = known.types->array(type, constants[instr.operands[k]]->toInt());
        if (types::sizeOf(type) == INT64_MAX) return;
        local.type = instr.type = type;
        instr.operands.clear();
    }

    void retype(Instr& instr, const Type* type) {
        if (!type) return;
        instr.type = type;
        body.regs[instr.result].type = type;
    }

    void rewriteElem(Instr& instr) {
        const Type* array = body.regs[instr.operands[0]].type;
        retype(instr, array->element);
        if (types::isConcrete(instr.type) && instr.operands.size() == 4) instr.operands.pop_back();
    }

    void rewriteBytes(Instr& instr, std::size_t refs) {
        const Type* type = body.regs[instr.operands[0]].type;
        if (!types::isConcrete(type) && refs == 2) type = body.regs[instr.operands[1]].type;
        if (!types::isConcrete(type)) return;
        instr.type = type;
        instr.operands.resize(refs);
    }

    void foldPure(Instr& instr) {
        if (instr.result == kNone || instr.operands.empty() ||
            info(instr.op).effects != Effects::Pure)
            return;
        std::vector<const Value*> operands;
        for (Reg reg : instr.operands) {
            if (!constants[reg]) return;
            operands.push_back(&*constants[reg]);
        }
        if (instr.op >= Op::Eq && instr.op <= Op::Ge) {
            std::optional<bool> result = foldCompare(instr, *operands[0], *operands[1]);
            if (!result) return;
            instr.type = body.regs[instr.result].type;
            return makeConst(instr, Value::of(instr.type, static_cast<std::uint8_t>(*result)));
        }
        if (std::optional<Value> result = foldOp(instr, operands))
            makeConst(instr, std::move(*result));
    }

    /// Blocks of branches that are never taken.
    void clearUnreached() {
        std::vector<bool> reached(body.blocks.size());
        std::vector<BlockId> pending{body.entry};
        while (!pending.empty()) {
            BlockId id = pending.back();
            pending.pop_back();
            reached[id] = true;
            for (const Instr& instr : body.blocks[id].instrs)
                for (BlockId block : instr.blocks)
                    if (block != kNone) pending.push_back(block);
        }
        for (BlockId id = 0; id < reached.size(); ++id)
            if (!reached[id]) body.blocks[id].instrs.clear();
    }

    // ---- unused pure results

    void removeUnused() {
        std::vector<std::uint32_t> uses(body.regs.size());
        for (const Block& block : body.blocks)
            for (const Instr& instr : block.instrs)
                for (Reg operand : instr.operands) ++uses[operand];
        for (bool changed = true; changed;) {
            changed = false;
            for (Block& block : body.blocks) changed |= removeFrom(block, uses);
        }
    }

    static bool isRemovable(const Instr& instr) {
        if (instr.result == kNone) return false;
        switch (instr.op) {
            case Op::Div:
            case Op::Rem: return !instr.type->is(TypeKind::Int) && !instr.type->is(TypeKind::Long);
            case Op::Load:
            case Op::Extent: return true;
            default: return info(instr.op).effects == Effects::Pure;
        }
    }

    /// Branches that do nothing but give a value.
    bool isChoice(const Instr& instr) const {
        auto isFine = [&](const Instr& inner) {
            return inner.op == Op::Yield || isRemovable(inner) || isChoice(inner);
        };
        return instr.op == Op::If && instr.result != kNone &&
               std::all_of(instr.blocks.begin(), instr.blocks.end(), [&](BlockId id) {
                   return id == kNone || std::all_of(body.blocks[id].instrs.begin(),
                                                     body.blocks[id].instrs.end(), isFine);
               });
    }

    void drop(const Instr& instr, std::vector<std::uint32_t>& uses) {
        for (Reg operand : instr.operands) --uses[operand];
        for (BlockId id : instr.blocks) {
            if (id == kNone) continue;
            for (const Instr& inner : body.blocks[id].instrs) drop(inner, uses);
            body.blocks[id].instrs.clear();
        }
    }

    /// Backwards, so that chains go in one pass.
    bool removeFrom(Block& block, std::vector<std::uint32_t>& uses) {
        bool changed = false;
        std::vector<Instr> kept;
        for (auto it = block.instrs.rbegin(); it != block.instrs.rend(); ++it) {
            if (it->result == kNone || uses[it->result] != 0 ||
                !(isRemovable(*it) || isChoice(*it))) {
                kept.push_back(std::move(*it));
                continue;
            }
            drop(*it, uses);
            changed = true;
        }
        std::reverse(kept.begin(), kept.end());
        block.instrs = std::move(kept);
        return changed;
    }

    Body& body;
    const Facts& known;
    std::vector<std::optional<Value>> constants;  ///< by register
    std::vector<Reg> alias;  ///< what a register has been replaced by
};

/// The part of a setup that gives fields their values: they lie there already, zeroed.
void leaveInitialisers(Body& setup) {
    for (Block& block : setup.blocks)
        std::erase_if(block.instrs, [](const Instr& instr) {
            return instr.op == Op::Rate || instr.op == Op::ItemType ||
                   (instr.op == Op::Declare && instr.var.space != Space::Local);
        });
}

/// Truths that are stored only under conditions: if all of these follow from the values that they begin with and never hold,
/// the stores go, and they keep those values.
std::vector<std::uint32_t> mayKeep(const StreamCode& code, const std::vector<bool>& stored,
                                   std::span<const Value> values) {
    std::vector<std::uint32_t> fields;
    for (std::uint32_t k = 0; k < values.size(); ++k)
        if (stored[k] && values[k].type && values[k].type->is(TypeKind::Boolean))
            fields.push_back(k);
    const auto scan = [&](const Body& body) {
        for (const Instr& instr : body.blocks[body.entry].instrs)
            if (instr.op == Op::Store && instr.var.space == Space::Field)
                std::erase(fields, instr.var.index);
    };
    for (const std::optional<Body>* body : {&code.prework, &code.work})
        if (*body) scan(**body);
    for (const Body& function : code.functions) scan(function);
    return fields;
}

template <typename Visit>
void forEachRunBody(StreamCode& code, Visit visit) {
    if (code.startsLate) visit(code.setup);
    if (code.init) visit(*code.init);
    if (code.prework) visit(*code.prework);
    if (code.work) visit(*code.work);
    for (Body& function : code.functions) visit(function);
}

}  // namespace

void fold(Body& body) { Folder(body, Facts{}).fold(); }

StreamCode specialize(const Module&, const StreamCode& generic, const Bindings& bindings,
                      types::TypeTable& types) {
    StreamCode code = generic;
    if (code.startsLate) {
        leaveInitialisers(code.setup);
    } else {
        code.setup = Body{};
        code.init.reset();
    }
    code.defaults.clear();
    code.input = bindings.input;
    code.output = bindings.output;
    for (std::size_t k = 0; k < code.fields.size(); ++k)
        code.fields[k].type = bindings.fieldTypes[k];
    for (std::size_t k = 0; k < code.constants.size(); ++k)
        code.constants[k].type = bindings.constants[k].type;
    Facts known{&bindings, {}, &types, &generic};
    std::vector<bool> stored = storedFields(code);
    known.fields.resize(code.fields.size());
    for (std::size_t k = 0; k < bindings.fieldValues.size(); ++k)
        if (!stored[k] && bindings.fieldValues[k].type) known.fields[k] = &bindings.fieldValues[k];
    std::vector<std::uint32_t> guessed = mayKeep(code, stored, bindings.fieldValues);
    while (!guessed.empty()) {  // fewer in each iteration
        for (std::uint32_t k : guessed) known.fields[k] = &bindings.fieldValues[k];
        StreamCode tried = code;
        forEachRunBody(tried, [&](Body& body) { Folder(body, known).fold(); });
        const std::vector<bool> still = storedFields(tried);
        const auto wrong = std::erase_if(guessed, [&](std::uint32_t k) {
            if (still[k]) known.fields[k] = nullptr;
            return still[k];
        });
        if (wrong == 0) return tried;
    }
    forEachRunBody(code, [&](Body& body) { Folder(body, known).fold(); });
    return code;
}

StreamCode specializeSetup(const StreamCode& generic, std::span<const Value> constants,
                           types::TypeTable& types) {
    StreamCode code = generic;
    const Bindings bindings{constants, {}, {}, nullptr, nullptr};
    const Facts known{&bindings, {}, &types, &generic};
    Folder(code.setup, known).fold();
    if (code.init) Folder(*code.init, known).fold();
    if (code.body) Folder(*code.body, known).fold();
    for (Body& function : code.functions) Folder(function, known).fold();
    return code;
}

}  // namespace strc::ir
