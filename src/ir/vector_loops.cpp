#include "ir/vector_loops.h"

#include <algorithm>
#include <functional>
#include <set>

namespace strc::ir {
namespace {

constexpr int kMostTries = 32;  ///< loops of one body that are looked into
constexpr std::int64_t kLongest = 1
                                  << 16;  ///< a stride beyond is none: ends of lanes must not wrap

using types::TypeKind;

bool isReal(const Type* type) {
    return type->is(TypeKind::Float) || type->is(TypeKind::Double) || type->is(TypeKind::Complex);
}

bool fits(const Type* type) {
    return isReal(type) || type->is(TypeKind::Int) || type->is(TypeKind::Boolean) ||
           type->is(TypeKind::Bit) || type->is(TypeKind::Char);
}

void forInstructions(const Body& body, BlockId id, const std::function<void(const Instr&)>& each) {
    if (id == kNone) return;
    for (const Instr& instr : body.blocks[id].instrs) {
        each(instr);
        for (BlockId inner : instr.blocks) forInstructions(body, inner, each);
    }
}

/// for (…; counter < end; counter++), of which only the step stores the counter.
bool isCounting(const Body& body, const Instr& loop, VectorLoop& found) {
    if (loop.flag || loop.blocks[2] == kNone) return false;
    const std::vector<Instr>& test = body.blocks[loop.blocks[0]].instrs;
    const std::vector<Instr>& step = body.blocks[loop.blocks[2]].instrs;
    auto isLoad = [](const Instr& i) {
        return i.op == Op::Load && i.var.space == Space::Local && i.type->is(TypeKind::Int);
    };
    auto isNumber = [](const Instr& i) { return i.op == Op::Const && i.type->is(TypeKind::Int); };
    auto joins = [](const Instr& i, Op op, const Instr& x, const Instr& y) {
        return i.op == op && i.operands[0] == x.result && i.operands[1] == y.result;
    };
    if (test.size() != 4 || !isLoad(test[0]) || !isNumber(test[1]) ||
        !joins(test[2], Op::Lt, test[0], test[1]) || test[3].operands[0] != test[2].result)
        return false;
    if (step.size() != 4 || !isLoad(step[0]) || !isNumber(step[1]) ||
        step[1].value.as<std::int32_t>() != 1 || !joins(step[2], Op::Add, step[0], step[1]) ||
        step[3].op != Op::Store || step[3].operands[0] != step[2].result)
        return false;
    found.body = loop.blocks[1];
    found.counter = test[0].var.index;
    found.end = test[1].value.as<std::int32_t>();
    return step[0].var == test[0].var && step[3].var == test[0].var;
}

/// Finds the values that differ between iterations of a loop.
class Rounds {
public:
    Rounds(const Body& body, VectorLoop& found)
        : body(body), found(found), literals(body.regs.size()), ofLocals(body.locals.size()) {
        found.facts.regs.resize(body.regs.size());
        found.facts.locals.resize(body.locals.size());
        found.facts.roots.resize(body.regs.size(), kNone);
        found.strides.resize(body.regs.size());
    }

    bool run() {
        if (!ownsItsLocals()) return false;
        found.facts.locals[found.counter] = true;
        ofLocals[found.counter] = {true, 1};
        do {
            changed = false;
            found.peekStrides.clear();
            pushes = 0;
            block(found.body, 0);
        } while (changed && fine);
        return fine && pushes == 1 && sums;
    }

private:
    struct Stored {
        bool isKnown = false;
        std::optional<std::int64_t> stride;
    };

    /// Is each local that an iteration stores stored in every iteration before it is loaded, and not used outside of the loop?
    bool ownsItsLocals() {
        std::set<std::uint32_t> stored, first;
        std::vector<std::size_t> inside(body.locals.size()), all(body.locals.size());
        bool isOwn = true;
        auto isLocal = [](const Instr& i) {
            return i.var.space == Space::Local && i.var.index != kNone;
        };
        auto begins = [](const Instr& i) { return i.op == Op::Store || i.op == Op::Declare; };
        for (const Instr& i : body.blocks[found.body].instrs) {
            auto reference = [&](const Instr& each) {
                if (!isLocal(each)) return;
                ++inside[each.var.index];
                if (!begins(each)) return;
                stored.insert(each.var.index);
            };
            if (isLocal(i) && begins(i) && inside[i.var.index] == 0) first.insert(i.var.index);
            reference(i);
            for (BlockId inner : i.blocks) forInstructions(body, inner, reference);
        }
        forInstructions(body, body.entry, [&](const Instr& i) {
            if (isLocal(i)) ++all[i.var.index];
        });
        for (std::uint32_t local : stored)
            isOwn = isOwn && local != found.counter && first.contains(local) &&
                    inside[local] == all[local] && body.locals[local].type->isScalar();
        return isOwn;
    }

    void block(BlockId id, int depth) {
        if (id == kNone) return;
        for (const Instr& instr : body.blocks[id].instrs) {
            instruction(instr, depth);
            if (!fine) return;
        }
    }

    void instruction(const Instr& i, int depth) {
        if (i.type && i.type->is(TypeKind::String)) fine = false;
        switch (i.op) {
            case Op::Const:
                if (i.type->is(TypeKind::Int)) literals[i.result] = i.value.as<std::int32_t>();
                return;
            case Op::Load: return load(i);
            case Op::Store: return store(i, depth);
            case Op::Declare:
                if (!i.operands.empty()) fine = false;
                return known(i.var.index, 0);
            case Op::Addr:
            case Op::Extent: return;
            case Op::Elem: return element(i);
            case Op::LoadAt: return vary(i.result, varies(i.operands[0]));
            case Op::Peek: return peek(i);
            case Op::Push:
                pushes += depth == 0 ? 1 : 2;
                if (!fits(i.type)) fine = false;
                return;
            case Op::If: return branch(i, depth);
            case Op::Loop:
                block(i.blocks[0], depth + 1);
                if (varies(yielded)) fine = false;
                block(i.blocks[1], depth + 1);
                return block(i.blocks[2], depth + 1);
            case Op::Yield: yielded = i.operands[0]; return;
            default: break;
        }
        if (info(i.op).effects != Effects::Pure || i.op == Op::Member) fine = false;
        for (Reg reg : i.operands) vary(i.result, varies(reg));
        if (varies(i.result) && i.type->is(TypeKind::Int)) setStride(i.result, strideOf(i));
    }

    void load(const Instr& i) {
        if (i.var.space != Space::Local) return;
        vary(i.result, found.facts.locals[i.var.index]);
        if (varies(i.result)) setStride(i.result, ofLocals[i.var.index].stride);
    }

    void store(const Instr& i, int depth) {
        if (i.var.space != Space::Local) return refuse();
        const std::uint32_t local = i.var.index;
        if (varies(i.operands[0]) && !found.facts.locals[local]) {
            found.facts.locals[local] = changed = true;
            if (!fits(body.locals[local].type)) fine = false;
        }
        known(local, stride(i.operands[0]));
        sums = sums || (depth > 0 && found.facts.locals[local] && isReal(body.locals[local].type));
    }

    /// A store of what has that stride.
    void known(std::uint32_t local, std::optional<std::int64_t> stride) {
        Stored& stored = ofLocals[local];
        const Stored before = stored;
        if (!stored.isKnown)
            stored = {true, stride};
        else if (stored.stride != stride)
            stored.stride.reset();
        if (stored.isKnown != before.isKnown || stored.stride != before.stride) changed = true;
    }

    void element(const Instr& i) {
        if (i.operands.size() != 3 || varies(i.operands[0]) || varies(i.operands[2])) fine = false;
        if (!varies(i.operands[1])) return;
        if (!i.type->isScalar() || stride(i.operands[1]) != 1) fine = false;
        vary(i.result, true);
    }

    void peek(const Instr& i) {
        if (!varies(i.operands[0])) return;
        vary(i.result, true);
        const auto step = stride(i.operands[0]);
        if (!step || *step < 1) return refuse();
        found.peekStrides.push_back(*step);
    }

    void branch(const Instr& i, int depth) {
        if (varies(i.operands[0])) return refuse();
        for (std::size_t side : {0, 1}) {
            block(i.blocks[side], depth + 1);
            if (i.result != kNone && fine) vary(i.result, varies(yielded));
        }
    }

    std::optional<std::int64_t> strideOf(const Instr& i) const {
        if (i.operands.size() != 2) return std::nullopt;
        const auto x = stride(i.operands[0]), y = stride(i.operands[1]);
        if (!x || !y) return std::nullopt;
        switch (i.op) {
            case Op::Add: return *x + *y;
            case Op::Sub: return *x - *y;
            case Op::Mul:
                if (auto times = literals[i.operands[1]]) return *x * *times;
                if (auto times = literals[i.operands[0]]) return *y * *times;
                return std::nullopt;
            default: return std::nullopt;
        }
    }

    std::optional<std::int64_t> stride(Reg reg) const {
        return varies(reg) ? found.strides[reg] : std::optional<std::int64_t>(0);
    }

    void setStride(Reg reg, std::optional<std::int64_t> stride) {
        if (stride && (*stride > kLongest || *stride < -kLongest)) stride.reset();
        if (found.strides[reg] == stride) return;
        found.strides[reg] = stride;
        changed = true;
    }

    void refuse() { fine = false; }

    bool varies(Reg reg) const { return reg != kNone && found.facts.regs[reg]; }

    void vary(Reg reg, bool isSo) {
        if (reg == kNone || !isSo || varies(reg)) return;
        found.facts.regs[reg] = changed = true;
        if (!body.regs[reg].ref && !fits(body.regs[reg].type)) fine = false;
    }

    const Body& body;
    VectorLoop& found;
    std::vector<std::optional<std::int32_t>> literals;
    std::vector<Stored> ofLocals;
    bool changed = false;
    bool fine = true;
    bool sums = false;
    int pushes = 0;
    Reg yielded = kNone;
};

/// Does a block, and not those inside of it, have a loop and one push?
bool isCandidate(const Block& block) {
    auto has = [&](Op op) {
        return std::count_if(block.instrs.begin(), block.instrs.end(),
                             [op](const Instr& i) { return i.op == op; });
    };
    return has(Op::Push) == 1 && has(Op::Loop) != 0;
}

void search(const Body& body, BlockId id, bool isNested, int& tries, std::vector<VectorLoop>& all) {
    if (id == kNone) return;
    for (const Instr& instr : body.blocks[id].instrs) {
        const bool isLoop = instr.op == Op::Loop;
        if (VectorLoop found; isLoop && isCandidate(body.blocks[instr.blocks[1]]) &&
                              tries < kMostTries && isCounting(body, instr, found)) {
            ++tries;
            found.isNested = isNested;
            if (Rounds(body, found).run()) {
                all.push_back(std::move(found));
                continue;
            }
        }
        for (BlockId inner : instr.blocks) search(body, inner, isNested || isLoop, tries, all);
    }
}

}  // namespace

std::vector<VectorLoop> findVectorLoops(const Body& work) {
    std::vector<VectorLoop> all;
    int tries = 0;
    search(work, work.entry, false, tries, all);
    return all;
}

std::string print(const Body& body, const VectorLoop& loop) {
    return "rounds of " + body.locals[loop.counter].name + ": " + print(body, loop.facts);
}

}  // namespace strc::ir
