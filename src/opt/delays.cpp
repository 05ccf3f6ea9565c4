#include "opt/detail/delays.h"

#include <algorithm>
#include <set>
#include <vector>

#include "ir/bounds.h"
#include "ir/scalarise.h"
#include "ir/writer.h"

namespace strc::opt {
namespace {

using ir::Body;
using ir::Instr;
using ir::Op;
using ir::Reg;
using ir::Space;

constexpr std::int64_t kMostDepth = 256;  ///< items that the window becomes longer

bool isField(const Instr& instr) {
    return instr.var.space == Space::Field && instr.var.index != ir::kNone;
}

/// What a body does with its fields and its input, in the order of its entry block.
class Reading {
public:
    explicit Reading(const elab::Kernel& of)
        : kernel(of), body(*of.code.work), items(body.regs.size()), loads(body.regs.size()) {}

    std::optional<Delays> result() {
        if (!isPlain() || !looksInside()) return std::nullopt;
        findInnerStores();
        if (!look(body.entry, true)) return std::nullopt;
        if (stores.empty() || popped != kernel.work.pop.max) return std::nullopt;
        Delays made;
        std::int64_t first = 0;
        for (const auto& [field, value] : stores) {
            const std::optional<std::int64_t> place = placeOf(field, 0);
            if (!place) return std::nullopt;
            made.places[field] = *place;
            first = std::min(first, *place);
        }
        made.depth = (-first + popped - 1) / popped * popped;
        if (made.depth == 0 || made.depth > kMostDepth) return std::nullopt;
        return made;
    }

private:
    /// No other body may see the fields, and the rates are known.
    bool isPlain() const {
        const ir::StreamCode& code = kernel.code;
        return kernel.builtin == ir::BuiltinStream::None && !kernel.prework && !code.prework &&
               !code.startsLate && !kernel.work.isDynamic() && kernel.firings == 1 &&
               kernel.input && kernel.input->isScalar() && kernel.work.pop.max > 0;
    }

    /// A peek in front of the window is a fault, and would be an item of the longer one.
    bool looksInside() const {
        ir::BoundsInput input;
        input.constants = kernel.constants;
        input.workPeek = input.preworkPeek = kernel.work.peek.max;
        const ir::Proofs proofs = ir::proveBounds(kernel.code, input);
        for (const ir::Block& block : body.blocks)
            for (const Instr& instr : block.instrs)
                if (instr.op == Op::Peek && instr.checked && !proofs.contains(&instr)) return false;
        return true;
    }

    /// Variables that loops and branches change are not followed.
    void findInnerStores() {
        for (ir::BlockId id = 0; id < body.blocks.size(); ++id)
            for (const Instr& instr : body.blocks[id].instrs)
                if (id != body.entry && instr.op == Op::Store && instr.var.space == Space::Local)
                    unclear.insert(instr.var.index);
    }

    /// A variable of the body hands an item, or a delay, on.
    void seeLocal(const Instr& instr) {
        if (instr.var.space != Space::Local || unclear.contains(instr.var.index)) return;
        if (instr.op == Op::Store) holds[instr.var.index] = instr.operands[0];
        const auto held = holds.find(instr.var.index);
        if (instr.op != Op::Load || held == holds.end()) return;
        items[instr.result] = items[held->second];
        loads[instr.result] = loads[held->second];
    }

    bool look(ir::BlockId block, bool isEntry) {
        if (block == ir::kNone) return true;
        const std::vector<Instr>& instrs = body.blocks[block].instrs;
        for (const Instr& instr : instrs) {
            if (!see(instr, isEntry)) return false;
            if (instr.op == Op::Return && !(isEntry && &instr == &instrs.back())) return false;
            for (ir::BlockId inner : instr.blocks)
                if (!look(inner, false)) return false;
        }
        return true;
    }

    bool see(const Instr& instr, bool isEntry) {
        switch (instr.op) {
            case Op::Const:
                if (instr.type->is(types::TypeKind::Int))
                    constants[instr.result] = instr.value.toInt();
                return true;
            case Op::Pop:
                if (isEntry) items[instr.result] = popped++;
                return isEntry;
            case Op::Discard:
                if (isEntry) ++popped;
                return isEntry;
            case Op::Peek:
                if (isEntry && constants.contains(instr.operands[0]))
                    items[instr.result] = popped + constants.at(instr.operands[0]);
                return true;
            case Op::PopInto:
            case Op::PeekInto:
            case Op::Iter: return false;
            case Op::Call: return instr.callee.kind != ir::CalleeKind::Stream;
            default: break;
        }
        if (instr.op == Op::Load || instr.op == Op::Store) seeLocal(instr);
        return !isField(instr) || seeField(instr, isEntry);
    }

    /// Loads come before the one store, which is no part of a loop or branch.
    bool seeField(const Instr& instr, bool isEntry) {
        const std::uint32_t field = instr.var.index;
        if (stores.contains(field)) return false;
        if (instr.op == Op::Load) {
            loads[instr.result] = field;
            return true;
        }
        if (instr.op != Op::Store || !isEntry) return false;
        if (kernel.fieldTypes[field] != kernel.input) return false;
        stores[field] = instr.operands[0];
        return true;
    }

    /// Where the value lies that the field has when a firing begins.
    std::optional<std::int64_t> placeOf(std::uint32_t field, std::size_t chain) const {
        const auto stored = stores.find(field);
        if (stored == stores.end() || chain > stores.size()) return std::nullopt;
        const Reg value = stored->second;
        if (items[value]) return *items[value] - popped;
        if (!loads[value]) return std::nullopt;
        const std::optional<std::int64_t> before = placeOf(*loads[value], chain + 1);
        if (!before) return std::nullopt;
        return *before - popped;
    }

    const elab::Kernel& kernel;
    const Body& body;
    std::int64_t popped = 0;
    std::map<Reg, std::int64_t> constants;
    std::vector<std::optional<std::int64_t>>
        items;  ///< by register: the item of the firing that it is
    std::vector<std::optional<std::uint32_t>> loads;  ///< by register: the field that it is
    std::map<std::uint32_t, Reg> stores;  ///< by field
    std::map<std::uint32_t, Reg> holds;  ///< by variable of the body, so far
    std::set<std::uint32_t> unclear;
};

/// Pops become peeks, and all items are popped at the end.
class Rewriting {
public:
    Rewriting(elab::Kernel& kernel, const Delays& delays, types::TypeTable& types)
        : kernel(kernel), delays(delays), w(types) {
        w.body = std::move(*kernel.code.work);
    }

    void run() {
        block(w.body.entry);
        kernel.code.work = std::move(w.body);
        const graph::Rates before = kernel.work;
        kernel.work.peek =
            graph::fixedRate(std::max(before.peek.max, before.pop.max) + delays.depth);
    }

private:
    void block(ir::BlockId id) {
        std::vector<Instr> instrs;
        instrs.swap(w.body.blocks[id].instrs);
        const bool isEntry = id == w.body.entry;
        for (std::size_t k = 0; k < instrs.size(); ++k) {
            w.block = id;
            const bool isEnd = isEntry && instrs[k].op == Op::Return;
            if (isEnd) discardAll();
            instruction(instrs[k]);
            if (isEntry && k + 1 == instrs.size() && !isEnd) discardAll();
        }
    }

    void discardAll() {
        w.range = w.body.range;
        for (std::int64_t k = 0; k < popped; ++k) w.emit(Op::Discard, kernel.input, {});
    }

    void instruction(Instr& instr) {
        const ir::BlockId here = w.block;
        for (ir::BlockId inner : instr.blocks)
            if (inner != ir::kNone) block(inner);
        w.block = here;
        w.range = instr.range;
        switch (instr.op) {
            case Op::Pop: return peek(instr, popped++);
            case Op::Discard: ++popped; return;
            case Op::Peek: return shift(instr);
            default: break;
        }
        const bool isDelay = isField(instr) && delays.places.contains(instr.var.index);
        if (isDelay && instr.op == Op::Store) return;
        if (isDelay) return peek(instr, delays.places.at(instr.var.index));
        w.body.blocks[w.block].instrs.push_back(std::move(instr));
    }

    /// The item at that place of the firing, under the register of the old instruction.
    void peek(const Instr& instr, std::int64_t place) {
        const Reg offset = w.integer(place + delays.depth);
        Instr& made = w.emit(Op::Peek, kernel.input, {offset});
        made.result = instr.result;
        made.checked = false;
    }

    void shift(Instr& instr) {
        const Reg by = w.integer(popped + delays.depth);
        instr.operands[0] = w.operation(Op::Add, w.types.intType(), {instr.operands[0], by});
        w.body.blocks[w.block].instrs.push_back(std::move(instr));
    }

    elab::Kernel& kernel;
    const Delays& delays;
    ir::Writer w;
    std::int64_t popped = 0;
};

}  // namespace

std::optional<Delays> findDelays(const elab::Kernel& kernel) {
    if (!kernel.code.work || ir::hasVectors(*kernel.code.work) || kernel.blocks) return std::nullopt;
    return Reading(kernel).result();
}

elab::Kernel withoutDelays(const elab::Kernel& kernel, const Delays& delays,
                           types::TypeTable& types) {
    elab::Kernel made = kernel;
    Rewriting(made, delays, types).run();
    return made;
}

}  // namespace strc::opt
