// A body of a filter, with items at explicit places of tapes and fields in a struct.

#include "base/assert.h"
#include "ir/calls.h"
#include "ir/writer.h"
#include "lowered/detail/functions.h"
#include "lowered/detail/places.h"
#include "lowered/detail/vector_items.h"

namespace strc::lowered {
namespace {

using ir::Instr;
using ir::Op;
using ir::Reg;
using ir::Space;

/// The two sides of a firing.
enum Side : std::uint32_t { kIn, kOut };

/// Does a body call functions that touch tapes? Then the counts lie where these find them.
bool sharesCounts(const Functions& all, const FunctionKey& key, const ir::Body& body) {
    for (const ir::Callee& callee : ir::calleesOf(body))
        if (callee.kind == ir::CalleeKind::Stream &&
            all.addedTo({key.kernel, callee.index, key.in, key.out}).counts)
            return true;
    return false;
}

class Rewriting {
public:
    Rewriting(Functions& all, const FunctionKey& wanted)
        : functions(all), key(wanted), added(all.addedTo(wanted)), w(all.types) {
        w.body = all.bodyOf(wanted);
    }

    ir::Body run() {
        w.body.kind = ir::BodyKind::Function;
        w.body.name = functions.nameOf(key);
        w.range = w.body.range;
        findChecks();
        const bool inArray = added.counts || sharesCounts(functions, key, w.body);
        addParameters();
        findCounts(inArray);
        block(w.body.entry);
        return std::move(w.body);
    }

private:
    /// Recursion follows the nesting of blocks.
    void block(ir::BlockId id) {
        std::vector<Instr> instrs;
        instrs.swap(w.body.blocks[id].instrs);
        w.block = id;
        if (id == w.body.entry && !added.counts) beginCounts();
        const std::vector<Instr>& originals = functions.bodyOf(key).blocks[id].instrs;
        for (std::size_t k = 0; k < instrs.size(); ++k) {
            Instr& instr = instrs[k];
            for (ir::BlockId inner : instr.blocks)
                if (inner != ir::kNone) block(inner);
            w.block = id;
            original = &originals[k];
            instruction(instr);
        }
        const bool returns = !instrs.empty() && instrs.back().op == Op::Return;
        if (id == w.body.entry && !returns) requireAll();
    }

    // ---- parameters

    bool hasResultParameter() const { return w.body.result && w.body.result->isAggregate(); }

    /// Behind the place of an aggregate result, before the body's own.
    void addParameters() {
        std::vector<ir::Variable> made;
        auto add = [&](bool is, const char* name, const Type* type) {
            if (!is) return;
            made.push_back({name, type, {}});
        };
        const Type* integer = w.types.intType();
        add(added.self, "fields", functions.state.record(key.kernel).type);
        add(added.in, "tape_in", key.in);
        add(added.in, "at_in", integer);
        add(added.out, "tape_out", key.out);
        add(added.out, "at_out", integer);
        add(added.counts, "counts", w.types.array(integer, 2));
        first = hasResultParameter() ? 1 : 0;
        w.body.locals.insert(w.body.locals.begin() + first, made.begin(), made.end());
        w.body.params += added.count();
    }

    std::uint32_t moved(std::uint32_t local) const {
        return local < first ? local : local + added.count();
    }

    std::uint32_t self() const { return first; }
    std::uint32_t tape(Side side) const {
        return first + (added.self ? 1 : 0) + (side == kOut && added.in ? 2 : 0);
    }

    // ---- checks

    void findChecks() {
        const elab::Kernel& kernel = functions.kernelOf(key);
        const bool inPrework = key.body == kPrework || key.inPrework;
        check.prework = inPrework;
        check.filter = kernel.code.name;
        rates = inPrework ? *kernel.prework : kernel.work;
        unproved = functions.rates.of(key.kernel, inPrework);
    }

    bool isUnproved(Side side) const { return side == kIn ? unproved.pops : unproved.pushes; }

    const Type* longType() { return w.types.scalar(types::TypeKind::Long); }

    Reg wide(Reg number) { return w.operation(Op::Convert, longType(), {number}); }

    Reg wideNumber(std::int64_t number) { return w.constant(types::Value::of(longType(), number)); }

    void require(ir::CheckKind kind, Reg holds, Reg limit, Reg reached) {
        w.emit(Op::Check, nullptr, {holds, limit, reached}).index =
            static_cast<std::uint32_t>(w.body.checks.size());
        check.kind = kind;
        w.body.checks.push_back(check);
    }

    /// Is there one more item to take, or room for one?
    void requireNext(Side side) {
        if (!isUnproved(side)) return;
        const std::int64_t limit = side == kIn ? rates.pop.max : rates.push.max;
        const Reg count = countOf(side);
        const Reg holds = w.operation(Op::Lt, w.types.intType(), {count, w.integer(limit)});
        const Reg next = w.operation(Op::Add, w.types.intType(), {count, w.integer(1)});
        require(side == kIn ? ir::CheckKind::Pop : ir::CheckKind::Push, holds, wideNumber(limit),
                wide(next));
    }

    /// Does the peek look into the window?
    void requireInside(Reg offset) {
        if (!functions.rates.mayMiss(key.kernel, *original)) return;
        const Type* integer = w.types.intType();
        const Reg isAhead = w.operation(Op::Ge, integer, {offset, w.integer(0)});
        require(ir::CheckKind::NegativePeek, isAhead, wide(offset), wideNumber(0));
        const Reg place = w.operation(Op::Add, longType(), {wide(countOf(kIn)), wide(offset)});
        const Reg limit = wideNumber(rates.peek.max);
        const Reg holds = w.operation(Op::Lt, longType(), {place, limit});
        const Reg next = w.operation(Op::Add, longType(), {place, wideNumber(1)});
        require(ir::CheckKind::Peek, holds, limit, next);
    }

    /// At the end of a firing: as many as declared?
    void requireAll() {
        if ((key.body != kWork && key.body != kPrework) || key.shape.lanes != 0) return;
        w.range = w.body.header;
        for (Side side : {kOut, kIn}) {
            if (!isUnproved(side)) continue;
            const std::int64_t limit = side == kIn ? rates.pop.max : rates.push.max;
            const Reg count = countOf(side);
            const Reg holds = w.operation(Op::Eq, w.types.intType(), {count, w.integer(limit)});
            require(side == kIn ? ir::CheckKind::Pop : ir::CheckKind::Push, holds,
                    wideNumber(limit), wide(count));
        }
    }

    // ---- counts of items

    /// Are all of its items taken, or given, outside of loops and branches? Then their number is known at each place.
    bool isStraight(Side side) const {
        for (ir::BlockId id = 0; id < w.body.blocks.size(); ++id)
            for (const Instr& instr : w.body.blocks[id].instrs)
                if (id != w.body.entry && moves(instr.op, side)) return false;
        return true;
    }

    static bool moves(Op op, Side side) {
        if (side == kOut) return op == Op::Push || op == Op::PushFrom || op == Op::PushVector;
        return op == Op::Pop || op == Op::PopInto || op == Op::Discard || op == Op::DiscardMany;
    }

    void findCounts(bool inArray) {
        if (added.counts) {
            counts = first + added.count() - 1;
        } else if (inArray) {
            counts = static_cast<std::uint32_t>(w.body.locals.size());
            w.body.locals.push_back({"counts", w.types.array(w.types.intType(), 2), {}});
        } else {
            for (Side side : {kIn, kOut}) {
                if (!(side == kIn ? added.in : added.out) || isStraight(side)) continue;
                count[side] = static_cast<std::uint32_t>(w.body.locals.size());
                w.body.locals.push_back({side == kIn ? "taken" : "given", w.types.intType(), {}});
            }
        }
    }

    void beginCounts() {
        if (counts != ir::kNone) {
            Instr& declare = w.emit(Op::Declare, w.body.locals[counts].type, {});
            declare.var = {Space::Local, counts};
            return;
        }
        for (Side side : {kIn, kOut})
            if (count[side] != ir::kNone) w.store(count[side], w.integer(0));
    }

    bool isKnown(Side side) const { return counts == ir::kNone && count[side] == ir::kNone; }

    Reg countOf(Side side) {
        if (isKnown(side)) return w.integer(known[side]);
        if (counts == ir::kNone) return w.load(count[side]);
        return w.element(w.address(counts), w.integer(side));
    }

    void advance(Side side, std::int64_t items) {
        if (isKnown(side)) {
            known[side] += items;
            return;
        }
        const Reg next = sum(w, countOf(side), w.integer(items));
        if (counts == ir::kNone) return w.store(count[side], next);
        w.setElement(w.address(counts), w.integer(side), next);
    }

    /// The index of the next item.
    Reg next(Side side) {
        const Reg index = w.load(tape(side) + 1);
        if (isKnown(side) && known[side] == 0) return index;
        return sum(w, index, countOf(side));
    }

    /// A ref to the next item, or to one `offset` further on.
    Reg item(Side side, Reg offset = ir::kNone) {
        Reg index = next(side);
        if (offset != ir::kNone) index = sum(w, index, offset);
        return w.reference(w.address(tape(side)), index);
    }

    Window window(Side side) {
        const Reg array = w.address(tape(side));
        return {array, next(side)};
    }

    // ---- instructions

    /// Emits one whose result is the register that the old one had.
    void instead(const Instr& old, Op op, const Type* type, std::vector<Reg> operands) {
        Instr& made = w.emit(op, type, std::move(operands));
        made.result = old.result;
    }

    Reg member(std::uint32_t field) {
        const Record& record = functions.state.record(key.kernel);
        return memberOf(record.members[field]);
    }

    Reg memberOf(std::uint32_t k) {
        const Type* type = functions.state.record(key.kernel).type->structure->fields[k].type;
        w.emit(Op::Member, type, {w.address(self())}).index = k;
        return w.result(type, true);
    }

    void instruction(Instr& instr) {
        w.range = instr.range;
        if (functions.rates.cannotFail(key.kernel, *original)) instr.checked = false;
        if (instr.op == Op::Extent && instr.var.space != Space::Local) return extent(instr);
        if (instr.var.space == Space::Field && instr.var.index != ir::kNone) return field(instr);
        if (onTape(instr)) return;
        switch (instr.var.space) {
            case Space::Local:
                if (instr.var.index != ir::kNone) instr.var.index = moved(instr.var.index);
                break;
            case Space::Constant:
                instr.var.index = functions.constantOf(key.kernel, instr.var.index);
                break;
            case Space::Stored:
                instr.var.index = functions.storedOf(key.kernel, instr.var.index);
                break;
            default: break;
        }
        if (instr.op == Op::Call && instr.callee.kind == ir::CalleeKind::Stream) passAlong(instr);
        if (instr.op == Op::Return) requireAll();
        w.body.blocks[w.block].instrs.push_back(std::move(instr));
    }

    /// A number: items, fields and constants of the one filter have other types.
    void extent(const Instr& instr) {
        const elab::Kernel& kernel = functions.kernelOf(key);
        const Type* type = nullptr;
        switch (instr.var.space) {
            case Space::Field: type = kernel.fieldTypes[instr.var.index]; break;
            case Space::Input: type = kernel.input; break;
            case Space::Output: type = kernel.output; break;
            case Space::Constant: type = kernel.constants[instr.var.index].type; break;
            default: STRC_UNREACHABLE("an extent of what has none");
        }
        for (std::uint32_t k = 0; k < instr.index; ++k) type = type->element;
        w.integer(type->extent);
        w.body.blocks[w.block].instrs.back().result = instr.result;  // under the old name
    }

    void field(const Instr& instr) {
        const Reg ref = member(instr.var.index);
        if (instr.op == Op::Addr) {  // the ref itself, under the old name
            w.body.blocks[w.block].instrs.back().result = instr.result;
            return;
        }
        if (instr.op == Op::Load) return instead(instr, Op::LoadAt, instr.type, {ref});
        STRC_ASSERT(instr.op == Op::Store, "a field that is neither loaded nor stored");
        w.emit(Op::StoreAt, w.body.regs[instr.operands[0]].type, {ref, instr.operands[0]});
    }

    /// False: it has nothing to do with tapes, or stays as it is.
    bool onTape(const Instr& instr) {
        const auto& operands = instr.operands;
        const bool isPush = moves(instr.op, kOut), isPop = moves(instr.op, kIn);
        if (isPush) requireNext(kOut);
        if (isPop) requireNext(kIn);
        switch (instr.op) {
            case Op::Pop: instead(instr, Op::LoadAt, instr.type, {item(kIn)}); break;
            case Op::PopInto: w.emit(Op::Copy, instr.type, {operands[0], item(kIn)}); break;
            case Op::Discard: break;
            case Op::Peek:
                requireInside(operands[0]);
                instead(instr, Op::LoadAt, instr.type, {item(kIn, operands[0])});
                break;
            case Op::PeekInto:
                requireInside(operands[1]);
                w.emit(Op::Copy, instr.type, {operands[0], item(kIn, operands[1])});
                break;
            case Op::Push: w.emit(Op::StoreAt, instr.type, {item(kOut), operands[0]}); break;
            case Op::PushFrom: w.emit(Op::Copy, instr.type, {item(kOut), operands[0]}); break;
            case Op::Iter: {
                const std::uint32_t member = functions.state.record(key.kernel).iterations;
                instead(instr, Op::LoadAt, instr.type, {memberOf(member)});
                break;
            }
            default: return vectorsOnTape(instr);
        }
        if (isPush) advance(kOut, 1);
        if (isPop) advance(kIn, 1);
        return true;
    }

    /// Of a register that a constant makes.
    std::int64_t constantOf(Reg reg) const {
        for (const ir::Block& block : functions.bodyOf(key).blocks)
            for (const Instr& instr : block.instrs)
                if (instr.result == reg) return instr.value.toInt();
        STRC_UNREACHABLE("a register that nothing makes");
    }

    /// Who makes vectors leaves no check of their rates to the firing.
    bool vectorsOnTape(const Instr& instr) {
        switch (instr.op) {
            case Op::PeekVector:
                loadItems(w, window(kIn), instr);
                w.body.blocks[w.block].instrs.back().result = instr.result;
                return true;
            case Op::PeekColumns:
                loadColumns(w, window(kIn), instr, constantOf(instr.operands[1]));
                return true;
            case Op::DiscardMany: advance(kIn, instr.index); return true;
            case Op::PushVector:
                storeItems(w, window(kOut), instr);
                advance(kOut, w.body.regs[instr.operands[0]].type->extent);
                return true;
            case Op::PushRows: storeRows(w, window(kOut), instr); return true;
            default: return false;
        }
    }

    /// A call of another function of the filter.
    void passAlong(Instr& call) {
        FunctionKey callee{key.kernel, call.callee.index, key.in, key.out};
        const Added wanted = functions.addedTo(callee);
        callee.inPrework = wanted.counts && (key.body == kPrework || key.inPrework);
        std::vector<Reg> passed;
        if (wanted.self) passed.push_back(w.address(self()));
        for (Side side : {kIn, kOut}) {
            if (!(side == kIn ? wanted.in : wanted.out)) continue;
            passed.push_back(w.address(tape(side)));
            passed.push_back(w.load(tape(side) + 1));
        }
        if (wanted.counts) passed.push_back(w.address(counts));
        const ir::Body& body = functions.bodyOf(callee);
        const bool hasResult = body.result && body.result->isAggregate();
        call.operands.insert(call.operands.begin() + (hasResult ? 1 : 0), passed.begin(),
                             passed.end());
        call.callee.index = functions.of(callee);
    }

    Functions& functions;
    const FunctionKey key;
    const Added added;
    ir::Writer w;
    const Instr* original = nullptr;  ///< the instruction as the kernel has it
    graph::Rates rates;
    Unproved unproved;
    ir::Check check;  ///< what its checks say
    std::uint32_t first = 0;  ///< of the added parameters
    std::uint32_t counts = ir::kNone;  ///< the local that is an array of both
    std::uint32_t count[2] = {ir::kNone, ir::kNone};  ///< locals, of counts that are not known
    std::int64_t known[2] = {0, 0};
};

}  // namespace

ir::Body rewritten(Functions& functions, const FunctionKey& key) {
    return Rewriting(functions, key).run();
}

}  // namespace strc::lowered
