#pragma once
/// One run of a Code: what the dispatch loop (execute.cpp) and the slow paths (machine.cpp, host.cpp)
/// share; internal to eval.

#include <deque>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "eval/detail/code.h"

namespace strc::eval {

/// Memory that a Machine keeps from run to run.
struct Machine::Memory {
    explicit Memory(const base::Limits& limits) : limits(limits) {}

    // ---- frames: pieces that never move
    struct Piece {
        std::unique_ptr<Slot[]> slots;
        std::uint64_t size = 0;
    };
    /// `need` slots at `at` if the piece that ends at `end` holds them, else in the next piece, whose
    /// end is put in `end`; null if memory is out.
    Slot* room(Slot* at, Slot*& end, std::uint64_t need);
    std::vector<Piece> pieces;
    Slot* top = nullptr;  ///< free from here, while a run is in a callback or none runs
    Slot* end = nullptr;  ///< of that piece

    // ---- arrays of dynamic extent, freed in the order they came
    std::byte* array(std::uint64_t bytes);
    std::size_t arrayMark() const { return arrays.size(); }
    void releaseArrays(std::size_t mark);
    std::vector<std::pair<std::unique_ptr<std::byte[]>, std::uint64_t>> arrays;

    // ---- strings: those of one expression, and those that variables hold
    const std::string* string(std::string text) { return &strings.emplace_back(std::move(text)); }
    const std::string* intern(const std::string* text) {
        return text ? &*interned.insert(*text).first : nullptr;
    }
    void releaseStrings(std::size_t mark) {
        if (strings.size() > mark) strings.resize(mark);
    }
    std::deque<std::string> strings;
    std::unordered_set<std::string> interned;

    base::Limits limits;
    std::uint64_t bytes = 0;  ///< of pieces and arrays
    std::uint64_t stepsUsed = 0;
    std::uint32_t firing = ir::kNone;  ///< firingNode
};

struct Run {
    Run(Machine& machine, const Code& code, Instance& instance, Firing& firing);

    // ---- the tapes, as far as this firing may reach. Between `enter` and `leave` the tapes themselves
    // are not up to date.
    std::byte* first = nullptr;  ///< the next item of the input
    std::byte* popEnd = nullptr;  ///< items from there on may not be popped: limit or lack
    std::byte* peekEnd = nullptr;
    std::byte* last = nullptr;  ///< behind the last item of the output
    std::byte* pushEnd = nullptr;
    void enter();
    void leave();
    /// Did the firing pop and push all it may? Then another one begins.
    bool nextFiring();

    /// Not at once possible: false ends the run (a trap, or no input).
    bool wantPop(const std::uint32_t* at, Slot* frame);
    bool wantPeek(const std::uint32_t* at, Slot* frame, std::int32_t offset);
    bool wantPush(const std::uint32_t* at, Slot* frame);
    /// The same of so many items.
    bool wantPops(const std::uint32_t* at, Slot* frame, std::int64_t items);
    bool wantPushes(const std::uint32_t* at, Slot* frame, std::int64_t items);
    /// Where the firing's first item waits, or lies once it is given, if so many may be looked at. False after a trap.
    bool inputItems(const std::uint32_t* at, Slot* frame, Slot& to, std::int64_t items);
    bool outputItems(const std::uint32_t* at, Slot* frame, Slot& to, std::int64_t items);

    // ---- steps
    std::int64_t fuel = 0;
    bool refuel(const std::uint32_t* at, Slot* frame);
    /// So many bytes are worked on at once, which is seen at the next look at the fuel.
    void charge(std::uint64_t bytes) { fuel -= static_cast<std::int64_t>(bytes / kBytesPerStep); }
    bool hasFuel(const std::uint32_t* at, Slot* frame) { return fuel >= 0 || refuel(at, frame); }

    // ---- calls
    /// A frame for a callee, the parameters in it; null after a trap.
    Slot* call(const std::uint32_t* at, Slot* frame, const Function& callee);

    /// Opcode Host and others that call back; false ends the run.
    bool host(const std::uint32_t* at, Slot* frame, const HostOp&);

    bool trap(const std::uint32_t* at, const Slot* frame, Diag id,
              std::vector<std::string> args = {});
    bool indexTrap(const std::uint32_t* at, const Slot* frame, std::int32_t index,
                   std::uint32_t extent);
    /// Null stands for the empty text.
    bool concat(const std::uint32_t* at, Slot* frame, Slot& to, const std::string* a,
                const std::string* b);
    bool intern(const std::uint32_t* at, Slot* frame, Slot& to, const std::string* text);
    bool print(const std::uint32_t* at, Slot* frame, const Slot& what, types::TypeKind);
    /// Callbacks may run other bodies: frames go behind `frame`.
    void expose(Slot* frame);

    std::int64_t extentOf(const Slot* frame, const ExtentSource&) const;
    const Value& global(std::uint32_t index) const;

    Machine& machine;
    Machine::Memory& memory;
    const Code& code;
    Instance& instance;
    Firing& firing;
    Outcome outcome = Outcome::Done;

private:
    std::byte* firstBase = nullptr;  ///< first and last when they were last counted
    std::byte* lastBase = nullptr;
    bool rateTrap(const std::uint32_t* at, const Slot* frame, Diag id, std::int64_t limit,
                  std::int64_t count);
    bool demand(const std::uint32_t* at, Slot* frame, std::uint64_t items);
    bool growOutput(const std::uint32_t* at, Slot* frame, std::int64_t items);
};

/// Runs from there until the Halt that the outermost frame returns to.
Outcome execute(Run&, const std::uint32_t* code, Slot* frame);

}  // namespace strc::eval
