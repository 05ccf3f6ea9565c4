#include "device/detail/groups.h"

#include <algorithm>

#include "ir/attention.h"
#include "ir/scalarise.h"
#include "types/tensor_elements.h"

namespace strc::device {

using ir::Instr;
using ir::Op;
using ir::Space;
using types::TypeKind;

namespace {

constexpr std::int64_t kMostRepeats = 1 << 16;  ///< launches are cheap, and not free
constexpr std::int64_t kFewThreads = 32;  ///< that are not worth a launch in each iteration
constexpr std::int64_t kShortCopy = 64;  ///< bytes that one thread copies on the way
/// Bytes of an array of which each iteration has its own; beyond that iterations follow each other, with one array for all.
constexpr std::int64_t kMostCopied = std::int64_t{1} << 28;
/// Fewer queries leave most of the threads of a tile without work.
constexpr std::int32_t kFewQueries = 8;
/// Threads of a launch have numbers that are ints.
constexpr std::int64_t kMostThreads = std::int64_t{1} << 30;

const char* effectOf(const Instr& instr) {
    switch (instr.op) {
        case Op::Print:
        case Op::NewLine: return "it prints";
        case Op::Random: return "it draws random numbers";
        case Op::Send: return "it sends messages";
        case Op::Call: return "it calls functions that are not part of its body";
        case Op::ReadArray:
        case Op::FileNumber:
        case Op::ReadItems: return "it reads files";
        case Op::Iter: return "it asks for iter()";
        case Op::Pop:
        case Op::Peek:
        case Op::Push: return "it takes or gives single numbers";
        default: return nullptr;
    }
}

/// The library has kernels for factors that are both as the result is, or both of half or bfloat16.
bool hasOtherFactors(const ir::Body& body, const Instr& instr) {
    if (instr.op != Op::Contract) return false;
    auto element = [&](std::size_t k) { return body.regs[instr.operands[k]].type->element; };
    return element(1) != element(2) || element(1)->is(TypeKind::Int8) ||
           (!types::isNarrow(element(1)->kind) && element(1) != element(0));
}

bool isTape(Op op) {
    return op == Op::PopInto || op == Op::PeekInto || op == Op::PushFrom || op == Op::Discard;
}

bool isOpen(const elab::Kernel& kernel, const Instr& instr) {
    return instr.op == Op::Load && instr.var.space == Space::Constant &&
           kernel.code.openSlot(instr.var.index) != ir::kNone;
}

}  // namespace

std::int64_t product(const std::vector<Induction>& loops) {
    std::int64_t all = 1;
    for (const Induction& loop : loops) all *= loop.trips;
    return all;
}

std::int64_t Group::copies() const { return product(apart); }

std::int64_t Group::trips() const { return copies() * (nests.empty() ? 1 : nests[0].trips()); }

std::string whyNot(const ir::Module&, const elab::Kernel& kernel) {
    if (!kernel.code.work || kernel.code.broken) return "it has no code of its own";
    if (kernel.prework) return "its first firing differs from the others";
    if (ir::hasVectors(*kernel.code.work)) return "it is done in vectors";
    if (kernel.code.startsLate) return "its parameters are known only when it starts";
    const ir::Body& body = *kernel.code.work;
    for (const ir::RegInfo& reg : body.regs)
        if (reg.type && (reg.type->is(TypeKind::String) || reg.type->is(TypeKind::Portal)))
            return "it computes with texts";
    for (ir::BlockId id = 0; id < body.blocks.size(); ++id)
        for (const Instr& instr : body.blocks[id].instrs) {
            if (const char* effect = effectOf(instr)) return effect;
            if (hasOtherFactors(body, instr)) return "its products are of int8, or of two types";
            if (isOpen(kernel, instr))
                return "it has parameters that are known only when it starts";
            if (isTape(instr.op) && id != body.entry)
                return "what it takes or gives depends on what it computes";
            if (instr.op == Op::Return && id != body.entry) return "it returns early";
        }
    return {};
}

bool mayDivideByZero(const Instr& instr) {
    const bool isDivision = (instr.op == Op::Div || instr.op == Op::Rem) && instr.checked;
    return isDivision && (instr.type->is(TypeKind::Int) || instr.type->is(TypeKind::Long));
}

bool isRemade(const Instr& instr) {
    if (instr.result == ir::kNone || instr.op == Op::If) return false;
    if (instr.op == Op::Elem) return !instr.checked;
    if (instr.op == Op::Load)
        return instr.var.space == Space::Constant || instr.var.space == Space::Global;
    return ir::info(instr.op).effects == ir::Effects::Pure && !mayDivideByZero(instr);
}

namespace {

class GroupCutter {
public:
    GroupCutter(const ir::Body& of, Affine& known, Ways which)
        : body(of), affine(known), ways(which) {}

    Cut run() {
        findItems();
        result.groups = cutBlock(body.entry);
        return std::move(result);
    }

private:
    // ---- items

    std::optional<std::uint32_t> localOf(ir::Reg ref) const {
        const Instr& instr = affine.definition(ref);
        const bool isLocal = instr.op == Op::Addr && instr.var.space == Space::Local;
        return isLocal ? std::optional(instr.var.index) : std::nullopt;
    }

    /// How often each local is written, by instructions from `from` on in the outermost block.
    int writes(std::uint32_t local, std::size_t from) const {
        int count = 0;
        auto look = [&](const Instr& instr) {
            const bool isWrite = instr.op == Op::StoreAt || instr.op == Op::Copy ||
                                 instr.op == Op::Zero || instr.op == Op::Contract ||
                                 instr.op == Op::PopInto || instr.op == Op::PeekInto;
            const bool begins = instr.op == Op::Declare && !instr.flag &&
                                instr.var == ir::VarRef{Space::Local, local};
            const auto base = isWrite ? baseOf(instr.operands[0]) : std::nullopt;
            if (begins || (base && *base == ir::VarRef{Space::Local, local})) ++count;
        };
        const auto& instrs = body.blocks[body.entry].instrs;
        for (std::size_t k = from; k < instrs.size(); ++k) {
            look(instrs[k]);
            for (ir::BlockId block : instrs[k].blocks) forEach(body, block, look);
        }
        return count;
    }

    std::optional<ir::VarRef> baseOf(ir::Reg ref) const {
        const Instr* instr = &affine.definition(ref);
        while (instr->op == Op::Elem || instr->op == Op::Member)
            instr = &affine.definition(instr->operands[0]);
        return instr->op == Op::Addr ? std::optional(instr->var) : std::nullopt;
    }

    void findItems() {
        const auto& instrs = body.blocks[body.entry].instrs;
        std::uint32_t taken = 0, given = 0;
        for (std::size_t k = 0; k < instrs.size(); ++k) {
            const Instr& instr = instrs[k];
            if (instr.op == Op::Discard) ++taken;
            if (instr.op == Op::PopInto) take(instr, taken++);
            if (instr.op == Op::PeekInto) {
                const auto offset = affine.value(instr.operands[1]);
                take(instr, taken + static_cast<std::uint32_t>(offset ? offset->constant : 0));
            }
            if (instr.op == Op::PushFrom) give(instr, given++, k + 1);
        }
    }

    /// A popped array that is never changed is read where the channel has it.
    void take(const Instr& instr, std::uint32_t item) {
        result.items[&instr] = item;
        const auto local = localOf(instr.operands[0]);
        if (!local || writes(*local, 0) != 1) return;
        result.aliases[*local] = {Home::Input, item, 0};
        result.dropped.insert(&instr);
    }

    /// An array that is pushed and never changed afterwards is computed in the memory of the output.
    void give(const Instr& instr, std::uint32_t item, std::size_t next) {
        result.items[&instr] = item;
        const auto local = localOf(instr.operands[0]);
        if (!local || result.aliases.contains(*local) || writes(*local, next) != 0 ||
            body.locals[*local].type != instr.type)
            return;
        result.aliases[*local] = {Home::Output, item, 0};
        result.dropped.insert(&instr);
    }

    // ---- groups

    std::vector<Group> cutBlock(ir::BlockId id) {
        std::vector<Group> groups;
        Group serial = newGroup(GroupKind::Serial);
        auto flush = [&] {
            if (serial.instrs.empty()) return;
            serial.block = id;
            note(serial);
            groups.push_back(std::move(serial));
            serial = newGroup(GroupKind::Serial);
        };
        const std::span<const Instr> all(body.blocks[id].instrs);
        for (std::size_t k = 0; k < all.size(); ++k) {
            const Instr& instr = all[k];
            if (isSkipped(instr) || isInside(instr)) continue;
            if (auto group = alone(instr, all.first(k))) {
                std::erase(serial.instrs, group->begin);
                flush();
                if (joins(groups, *group)) continue;
                group->id = count++;
                note(*group);
                groups.push_back(std::move(*group));
            } else if (ir::attentionOf(instr)) {
                flush();
                for (Group& part : cutBlock(instr.blocks[0])) groups.push_back(std::move(part));
            } else if (!isRemade(instr)) {
                serial.instrs.push_back(&instr);
            }
        }
        flush();
        return groups;
    }

    /// A nest with as many iterations that goes on with the results of the last one.
    bool joins(std::vector<Group>& groups, const Group& next) {
        const bool areNests = !groups.empty() && groups.back().kind == GroupKind::Nest &&
                              next.kind == GroupKind::Nest;
        if (!areNests || !joinNests(groups.back().nests[0], next.nests[0], affine)) return false;
        Group& last = groups.back();
        last.nests.push_back(next.nests[0]);
        last.instrs.push_back(next.instrs[0]);
        note(last);
        return true;
    }

    bool isSkipped(const Instr& instr) const {
        if (instr.op == Op::Discard || instr.op == Op::Return || result.dropped.contains(&instr))
            return true;
        const bool isArray = instr.op == Op::Declare && isAggregate(instr);
        return isArray && instr.flag;
    }

    /// An index that the loops around keep in the array: its check is made where the place is needed, if at all.
    bool isInside(const Instr& instr) const {
        if (instr.op != Op::Elem || !instr.checked || instr.operands.size() > 3) return false;
        const auto index = affine.value(instr.operands[1]),
                   extent = affine.value(instr.operands[2]);
        const bool isKnown = index && extent && index->fixed.empty() && extent->fixed.empty() &&
                             extent->trips.empty();
        if (!isKnown) return false;
        std::int64_t low = index->constant, high = index->constant;
        for (auto [counter, by] : index->trips) {
            const Induction* loop = affine.loop(counter);
            if (!loop) return false;
            (by < 0 ? low : high) += by * (loop->trips - 1);
        }
        return low >= 0 && high < extent->constant;
    }

    bool isAggregate(const Instr& declare) const {
        return body.locals[declare.var.index].type->isAggregate();
    }

    Group newGroup(GroupKind kind) {
        Group made;
        made.kind = kind;
        made.around = around;
        made.apart = apart;
        made.id = count++;
        return made;
    }

    void note(const Group& group) {
        result.apartOf[group.id] = group.apart;
        for (const Instr* instr : group.instrs) {
            result.groupOf[instr] = group.id;
            if (group.kind == GroupKind::Repeat) continue;
            for (ir::BlockId block : instr->blocks)
                forEach(body, block, [&](const Instr& i) { result.groupOf[&i] = group.id; });
        }
    }

    /// Instructions that are a launch of their own.
    std::optional<Group> alone(const Instr& instr, std::span<const Instr> before) {
        Group made;
        made.around = around;
        made.apart = apart;
        made.instrs = {&instr};
        switch (instr.op) {
            case Op::Contract:
                if (!isContraction(instr)) return std::nullopt;
                made.kind = GroupKind::Contract;
                return made;
            case Op::PopInto:
            case Op::PeekInto:
            case Op::PushFrom: made.kind = GroupKind::Copy; return made;
            case Op::Copy:
                if (types::sizeOf(instr.type) <= kShortCopy || !isFixed(instr.operands[0]) ||
                    !isFixed(instr.operands[1]) || !areCopiedAlike(instr))
                    return std::nullopt;
                made.kind = GroupKind::Copy;
                return made;
            case Op::Declare:
                if (!isAggregate(instr)) return std::nullopt;
                made.kind = GroupKind::Zero;
                return made;
            case Op::Zero:
                if (!isFixed(instr.operands[0])) return std::nullopt;
                made.kind = GroupKind::Zero;
                return made;
            case Op::Loop: return loop(instr, before, std::move(made));
            case Op::If:
                if (!ways.attends || !isAttention(instr)) return std::nullopt;
                made.kind = GroupKind::Attend;
                return made;
            default: return std::nullopt;
        }
    }

    bool isFixed(ir::Reg ref) const {
        const auto address = affine.address(ref);
        return address && address->offset.trips.empty() && address->offset.fixed.empty();
    }

    /// Is the place known, but for the iteration of loops apart?
    bool isKnown(ir::Reg ref) const {
        const auto address = affine.address(ref);
        return address && address->offset.fixed.empty() &&
               std::all_of(address->offset.trips.begin(), address->offset.trips.end(),
                           [&](const auto& step) { return isApart(step.first); });
    }

    bool isApart(std::uint32_t counter) const {
        return std::any_of(apart.begin(), apart.end(),
                           [&](const Induction& loop) { return loop.counter == counter; });
    }

    /// Can the library do it, for all iterations of the loops apart?
    bool isContraction(const Instr& instr) const {
        return std::all_of(instr.operands.begin(), instr.operands.end(),
                           [&](ir::Reg ref) { return isKnown(ref); });
    }

    /// Is it attention that the library can do, for all iterations of the loops apart?
    bool isAttention(const Instr& instr) const {
        const std::optional<ir::Attention> how = ir::attentionOf(instr);
        return how && how->queries.trips >= kFewQueries && how->width.trips <= kMostWidth &&
               how->values.trips <= kMostWidth &&
               how->outer.size() + apart.size() <= kMostAttentionLoops &&
               std::all_of(instr.operands.begin() + 1, instr.operands.end(),
                           [&](ir::Reg ref) { return isKnown(ref); });
    }

    /// What all iterations of the loops apart copy is one piece of memory on both sides, or there are no such loops.
    bool areCopiedAlike(const Instr& copy) const {
        if (apart.empty()) return true;
        return std::all_of(copy.operands.begin(), copy.operands.end(), [&](ir::Reg ref) {
            const auto local = localOf(ref);
            const auto found = local ? result.copied.find(*local) : result.copied.end();
            return found != result.copied.end() && found->second.size() == apart.size();
        });
    }

    std::optional<Group> loop(const Instr& instr, std::span<const Instr> before, Group made) {
        Nest nest = findParallelNest(body, affine, before, instr);
        if (!nest.loops.empty()) {
            made.kind = GroupKind::Nest;
            made.begin = nest.loops[0].begin;
            made.nests.push_back(std::move(nest));
            return made;
        }
        const auto counts = affine.induction(before, instr);
        if (!counts || isUsedOutside(body, counts->counter, instr, counts->begin))
            return std::nullopt;
        made.begin = counts->begin;
        made.kind = GroupKind::Repeat;
        made.repeat = *counts;
        if (cutApart(instr, before, made)) return made;
        if (counts->trips > kMostRepeats || !hasLargeParts(instr)) return std::nullopt;
        cutInside(instr, made, around);
        const bool isWorth = std::any_of(made.inside.begin(), made.inside.end(), isLarge);
        return isWorth ? std::optional(std::move(made)) : std::nullopt;
    }

    /// The body of a loop, which becomes the innermost one of those around.
    void cutInside(const Instr& loop, Group& made, std::vector<Induction>& loops) {
        loops.push_back(made.repeat);
        affine.enter(made.repeat);
        made.inside = cutBlock(loop.blocks[1]);
        affine.leave(made.repeat.counter);
        loops.pop_back();
    }

    /// Iterations that are independent are done at once by each part of them (loop distribution, with a copy of its own arrays
    /// for each iteration: Allen and Kennedy, Optimizing Compilers for Modern Architectures, 2001, sections 5.3 and 6.2).
    bool cutApart(const Instr& instr, std::span<const Instr> before, Group& made) {
        if (!ways.distributes) return false;
        const auto loop = findParallelLoop(body, affine, before, instr);
        if (!loop || made.copies() > kMostThreads / loop->counts.trips) return false;
        const auto known = result.copied;
        for (std::uint32_t local : loop->own) {
            std::vector<Induction>& loops = result.copied[local] = apart;
            loops.push_back(made.repeat);
        }
        made.isApart = true;
        cutInside(instr, made, apart);
        const bool isWorth = std::any_of(made.inside.begin(), made.inside.end(), isLarge);
        if (isWorth && hasRoom(made.inside)) return true;
        made.isApart = false;
        made.inside.clear();
        result.copied = known;
        return false;
    }

    bool hasRoom(const std::vector<Group>& groups) const {
        std::int64_t bytes = 0;
        for (const auto& [local, loops] : result.copied)
            bytes += types::sizeOf(body.locals[local].type) * product(loops);
        for (const Group& group : groups) {
            if (group.trips() > kMostThreads || !hasRoom(group.inside)) return false;
            for (const Nest& nest : group.nests)
                for (std::uint32_t local : nest.own)
                    bytes += types::sizeOf(body.locals[local].type) * group.trips();
        }
        return bytes <= kMostCopied;
    }

    static bool isLarge(const Group& group) {
        const bool isCode = group.kind == GroupKind::Nest || group.kind == GroupKind::Serial;
        return isCode ? group.trips() >= kFewThreads : true;
    }

    /// Is there something in it for many threads?
    bool hasLargeParts(const Instr& loop) const {
        const auto& instrs = body.blocks[loop.blocks[1]].instrs;
        return std::any_of(instrs.begin(), instrs.end(), [](const Instr& instr) {
            return instr.op == Op::Contract || instr.op == Op::Loop || ir::attentionOf(instr);
        });
    }

    const ir::Body& body;
    Affine& affine;
    const Ways ways;
    Cut result;
    std::vector<Induction> around, apart;
    std::uint32_t count = 0;
};

}  // namespace

Cut cut(const ir::Body& body, Affine& affine, Ways ways) {
    return GroupCutter(body, affine, ways).run();
}

}  // namespace strc::device
