#pragma once
/// A body, or a part of it, in lanes: what varies becomes a vector, what does not stays as it is (ir/varying.h). Branches whose
/// condition varies are done for all lanes under a mask. What items are, and what a check does that fails in a lane, is for the
/// pass to say (LaneItems). Hormati et al., "MacroSS", ASPLOS 2010, section 3.1.

#include <functional>
#include <vector>

#include "ir/ir.h"
#include "ir/varying.h"
#include "ir/writer.h"

namespace strc::vector {

using ir::BlockId;
using ir::Body;
using ir::Instr;
using ir::kNone;
using ir::Op;
using ir::Reg;
using types::Type;

class Widener;

/// How lanes take and give items, and what happens where they cannot go on.
class LaneItems {
public:
    virtual ~LaneItems() = default;
    /// Before the first instruction, once the locals are there.
    virtual void begin(Widener&) {}
    /// Item `index` of a lane's window, an int; or a vector of ints, if lanes look at different ones.
    virtual Reg input(Widener&, const Instr&, Reg index) = 0;
    /// Item `index` of what a lane pushes.
    virtual void output(Widener&, const Instr&, Reg value, Reg index) = 0;
    /// Leaves the code where the boolean does not hold. Only called for checks that might fail.
    virtual void require(Widener&, Reg holds) = 0;
    /// Behind a loop, which may have been left since a check failed in it.
    virtual void afterLoop(Widener&) {}
    /// Where the body ends.
    virtual void finish(Widener&) = 0;
    virtual bool isRateProved(Op) const { return true; }
    virtual std::int64_t peekLimit() const { return 0; }
    virtual std::int64_t rateOf(Op) const { return 0; }  ///< of Pop and Push, in a lane
    /// Do neighbouring lanes have neighbouring indices there, a register of the old body?
    virtual bool isConsecutive(Reg /*index*/) const { return false; }
};

class Widener {
public:
    using IsSafe = std::function<bool(const Instr&)>;

    /// `w` is where the code goes. Until they are given others, registers and locals of `body` mean nothing there.
    Widener(ir::Writer& w, const Body& body, const ir::Varying& facts, std::int64_t lanes,
            LaneItems& items, IsSafe isSafe);

    /// All of the body, into an empty one. Locals follow those that are there; they get vectors where they vary.
    void whole();
    void block(BlockId);

    // ---- for passes
    void bindLocal(std::uint32_t old, std::uint32_t made) { locals[old] = made; }
    /// What locals of the old body have become.
    const std::vector<std::uint32_t>& localsMade() const { return locals; }
    /// The local lies there instead.
    void bindPlace(std::uint32_t old, Reg ref) { places[old] = ref; }
    void bindRegister(Reg old, Reg made) { regs[old] = made; }
    Reg widened(Reg made);  ///< a register of the new body as a vector
    bool isVector(Reg made) const { return types::lanesOf(w.body.regs[made].type) != 0; }
    const Type* vectorOf(const Type* scalar) { return w.types.vector(scalar, lanes); }
    /// A value to be stored where `before` gives what is there: under a mask it stays for lanes that do not run.
    Reg masked(Reg value, const std::function<Reg()>& before);
    Reg select(Reg condition, Reg one, Reg other);

    ir::Writer& w;
    const std::int64_t lanes;

private:
    void instruction(const Instr&);
    bool isVarying(Reg old) const { return old != kNone && facts.regs[old]; }
    Reg made(const Instr& i, std::size_t k) const { return regs[i.operands[k]]; }
    Instr& clone(const Instr&);
    void result(const Instr&, const Type*, bool isRef = false, std::uint32_t refLanes = 0);

    // ---- values
    void pure(const Instr&);

    // ---- memory
    bool memory(const Instr&);
    void load(const Instr&);
    void store(const Instr&);
    void address(const Instr&);
    void element(const Instr&);
    void member(const Instr&);
    void loadAt(const Instr&);
    void storeAt(const Instr&);
    const Type* localType(std::uint32_t old) const;

    // ---- items
    bool tape(const Instr&);
    Reg nextIndex(std::uint32_t counter, Op rate);
    void peek(const Instr&);
    void advance(std::uint32_t counter);
    void checkCounts();

    // ---- control
    void branch(const Instr&);
    void varyingBranch(const Instr&);
    Reg maskedSide(BlockId, Reg condition, const Type* yieldType);
    void loop(const Instr&);
    void ret();

    // ---- checks
    void check(Reg holds);
    Reg within(Reg index, Reg limit);
    Reg protect(Reg made, std::int64_t harmless);

    const Body& body;
    const ir::Varying& facts;
    LaneItems& items;
    IsSafe isSafe;
    std::vector<Reg> regs;  ///< by register of the old body
    std::vector<std::uint32_t> locals;  ///< by local of the old body
    std::vector<Reg> places;  ///< likewise: a ref to it; kNone: it is a local
    std::vector<bool>
        leadsToFirst;  ///< by register of the old body: the new ref leads to the first lane's scalar
    std::uint32_t taken = kNone, given = kNone;  ///< locals that count items
    Reg mask = kNone;  ///< which lanes run; kNone: all
    Reg yielded = kNone;
};

}  // namespace strc::vector
