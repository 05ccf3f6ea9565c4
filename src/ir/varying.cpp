#include "ir/varying.h"

namespace strc::ir {
namespace {

bool fitsLanes(const Type* type) {
    switch (type->kind) {
        case types::TypeKind::Boolean:
        case types::TypeKind::Bit:
        case types::TypeKind::Char:
        case types::TypeKind::Int:
        case types::TypeKind::Float:
        case types::TypeKind::Double:
        case types::TypeKind::Complex: return true;
        default: return false;
    }
}

std::string itemsVary(const Type* type) {
    return "values of type " + types::toString(type) + " vary";
}

/// Goes through the body until nothing more turns out to vary.
class VaryingFinder {
public:
    /// `areInstances`: lanes are whole filters, not firings of one, and sum up products of their own.
    VaryingFinder(const Body& body, const std::vector<std::uint32_t>& own, bool areInstances)
        : body(body), areInstances(areInstances) {
        found.regs.resize(body.regs.size());
        found.locals.resize(body.locals.size());
        found.roots.resize(body.regs.size(), kNone);
        for (std::uint32_t local : own) found.locals[local] = true;
    }

    Varying run() {
        for (const Variable& local : body.locals)
            if (!types::isConcrete(local.type)) refuse("an array has no fixed size");
        do {
            changed = false;
            block(body.entry);
        } while (changed && found.whyNot.empty());
        return std::move(found);
    }

private:
    void refuse(std::string_view why) {
        if (found.whyNot.empty()) found.whyNot = why;
    }

    void vary(Reg reg, bool isSo) {
        if (reg == kNone || !isSo || found.regs[reg]) return;
        if (!body.regs[reg].ref && !fitsLanes(body.regs[reg].type))
            return refuse(itemsVary(body.regs[reg].type));
        found.regs[reg] = changed = true;
    }

    void varyLocal(std::uint32_t local, bool isSo) {
        if (!isSo || found.locals[local]) return;
        const Type* type = body.locals[local].type;
        if (!type->isAggregate() && !fitsLanes(type)) return refuse(itemsVary(type));
        found.locals[local] = changed = true;
    }

    bool varies(Reg reg) const { return found.regs[reg]; }
    bool rootVaries(Reg ref) const {
        return found.roots[ref] != kNone && found.locals[found.roots[ref]];
    }

    void block(BlockId id) {
        if (id == kNone) return;
        for (const Instr& instr : body.blocks[id].instrs) {
            instruction(instr);
            if (!found.whyNot.empty()) return;
        }
    }

    void instruction(const Instr& i) {
        switch (i.op) {
            case Op::If: return branch(i);
            case Op::Loop: return loop(i);
            case Op::Break:
            case Op::Continue:
                if (divergent != 0) refuse("a loop ends in some lanes");
                return;
            case Op::Return:
                if (divergent + outer != 0) refuse("a firing ends in some lanes");
                return;
            case Op::Yield: yielded = i.operands[0]; return;
            case Op::Pop:
            case Op::Peek:
            case Op::Iter: return vary(i.result, true);
            case Op::Push:
                if (!fitsLanes(i.type)) refuse(itemsVary(i.type));
                return;
            case Op::Discard:
            case Op::Extent:
            case Op::Declare: return;
            default: break;
        }
        if (memory(i)) return;
        if (info(i.op).effects != Effects::Pure) return refuse("it has effects of other kinds");
        if (i.type && i.type->is(types::TypeKind::String)) return refuse("it makes strings");
        for (Reg reg : i.operands) vary(i.result, varies(reg));
    }

    bool memory(const Instr& i) {
        switch (i.op) {
            case Op::Load:
                if (i.var.space == Space::Local) vary(i.result, found.locals[i.var.index]);
                return true;
            case Op::Store:
                if (i.var.space != Space::Local)
                    refuse("it has state");
                else
                    varyLocal(i.var.index, varies(i.operands[0]) || isDivergent());
                return true;
            case Op::Addr:
                if (i.var.space == Space::Local) found.roots[i.result] = i.var.index;
                return true;
            case Op::Elem:
                if (i.operands.size() > 3) refuse("an array has no fixed size");
                vary(i.result, varies(i.operands[0]) || varies(i.operands[1]));
                if (varies(i.operands[2])) refuse("an extent varies");
                found.roots[i.result] = found.roots[i.operands[0]];
                return true;
            case Op::Member:
                vary(i.result, varies(i.operands[0]));
                found.roots[i.result] = found.roots[i.operands[0]];
                return true;
            case Op::LoadAt:
                vary(i.result, varies(i.operands[0]) || rootVaries(i.operands[0]));
                return true;
            case Op::StoreAt:
                written(i.operands[0],
                        varies(i.operands[0]) || varies(i.operands[1]) || isDivergent());
                if (const Type* type = body.regs[i.operands[1]].type;
                    rootVaries(i.operands[0]) && !fitsLanes(type))
                    refuse(itemsVary(type));
                return true;
            case Op::Contract: contract(i); return true;
            case Op::Copy: copy(i); return true;
            case Op::Zero:
                if (i.operands.size() > 1 || isDivergent() || varies(i.operands[0]))
                    refuse("an array is zeroed in some lanes");
                written(i.operands[0], false);
                return true;
            default: return false;
        }
    }

    void written(Reg ref, bool isVarying) {
        if (found.roots[ref] == kNone) return refuse("it has state");
        varyLocal(found.roots[ref], isVarying);
    }

    void copy(const Instr& i) {
        const Reg to = i.operands[0], from = i.operands[1];
        if (i.operands.size() > 2 || isDivergent() || varies(to) || varies(from))
            return refuse("an array is copied in some lanes");
        written(to, rootVaries(from));
        if (!rootVaries(to)) return;
        if (found.roots[from] == kNone) return refuse("an array is copied to all lanes");
        varyLocal(found.roots[from], true);
    }

    void contract(const Instr& i) {
        bool isVarying = false;
        if (!areInstances) return refuse("it is done in lanes of its own");
        for (Reg ref : i.operands) {
            if (varies(ref)) return refuse("lanes sum up products of different places");
            if (ref != i.operands[0]) isVarying = isVarying || rootVaries(ref);
        }
        if (isDivergent()) return refuse("products are summed up in some lanes");
        written(i.operands[0], isVarying);
    }

    bool isDivergent() const { return divergent + outer != 0; }

    void branch(const Instr& i) {
        if (i.result != kNone && body.regs[i.result].ref)
            return refuse("a branch chooses an array");
        const bool isVarying = varies(i.operands[0]);
        divergent += isVarying;
        for (int side = 0; side < 2; ++side) {
            block(i.blocks[static_cast<std::size_t>(side)]);
            if (i.result != kNone && found.whyNot.empty())
                vary(i.result, isVarying || varies(yielded));
        }
        divergent -= isVarying;
    }

    void loop(const Instr& i) {
        outer += divergent;
        const int before = divergent;
        divergent = 0;  // of the ifs inside of it
        block(i.blocks[0]);
        if (found.whyNot.empty() && varies(yielded)) refuse("a loop's condition varies");
        block(i.blocks[1]);
        block(i.blocks[2]);
        divergent = before;
        outer -= divergent;
    }

    const Body& body;
    const bool areInstances;
    Varying found;
    bool changed = false;
    int divergent = 0;  ///< ifs with a varying condition, around this place and inside of its loop
    int outer = 0;  ///< and outside of it
    Reg yielded = kNone;
};

}  // namespace

Varying findVarying(const Body& work) { return VaryingFinder(work, {}, false).run(); }

Varying findVarying(const Body& work, const std::vector<std::uint32_t>& own) {
    return VaryingFinder(work, own, true).run();
}

std::string print(const Body& body, const Varying& varying) {
    if (!varying.whyNot.empty()) return "none: " + varying.whyNot;
    std::string text = "varying:";
    for (std::size_t k = 0; k < varying.regs.size(); ++k)
        if (varying.regs[k]) text += " %" + std::to_string(k);
    for (std::size_t k = 0; k < varying.locals.size(); ++k)
        if (varying.locals[k]) text += " " + body.locals[k].name;
    return text;
}

std::int64_t widestVarying(const Body& body, const Varying& varying) {
    std::int64_t bytes = 4;
    for (std::size_t k = 0; k < body.regs.size(); ++k)
        if (varying.regs[k] && !body.regs[k].ref)
            bytes = std::max(bytes, types::sizeOf(body.regs[k].type));
    return bytes;
}

}  // namespace strc::ir
