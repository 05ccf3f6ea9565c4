#pragma once
/// Words, jumps and slots: what the compiler writes code with.

#include <initializer_list>
#include <map>
#include <utility>
#include <vector>

#include "eval/detail/code.h"

namespace strc::eval {

/// Slots from here on lie behind the frame, where the frame of a callee begins.
constexpr std::uint32_t kOutgoing = 1u << 31;

/// A place in the code that jumps go to, known or not yet.
struct Label {
    static constexpr std::uint32_t kUnbound = UINT32_MAX;
    std::uint32_t at = kUnbound;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> waiting;  ///< operation, word of the jump
};

class Builder {
public:
    explicit Builder(Function& function) : function(function), words(function.code) {}

    std::uint32_t here() const { return static_cast<std::uint32_t>(words.size()); }
    void op(Code32, std::initializer_list<std::uint32_t> operands = {});
    /// The same, with a jump as the last operand.
    void jump(Code32, std::initializer_list<std::uint32_t> operands, Label& to);
    void bind(Label&);
    /// Redirects all jumps to `from`, which is not bound and never will be, to `to`.
    void forward(Label& from, Label& to);
    /// The code that follows comes from there. Gives what it came from before.
    SourceRange markRange(SourceRange);
    /// The next operation comes from `first`, its operands from `second`.
    void markRange(SourceRange first, SourceRange second);

    /// The operation that follows is a call that does a firing of the node.
    void markFiring(std::uint32_t node) { function.firingCalls.push_back({here(), node}); }

    // ---- slots
    std::uint32_t take(std::uint32_t count);
    void give(std::uint32_t slot, std::uint32_t count);
    /// The first slot of the registers; to be called once, before any is taken.
    void beginRegisters(std::uint32_t first) { next = first; }
    /// Fixes the size of the frame and the places of outgoing parameters, also of the results of operations of the host.
    void finish(std::deque<HostOp>&);
    void needOutgoing(std::uint32_t slots);

    // ---- loops
    /// Begins the outermost loop: what does not change in it can be computed in front of it.
    void beginPreheader();
    void endPreheader();
    bool hasPreheader() const { return inLoop; }
    /// Slots (`count` of them) that are set in front of the outermost loop by operations `make`
    /// appends to a Builder; the same key gives the same slots.
    template <typename Make>
    std::uint32_t hoist(std::pair<std::uint64_t, std::uint64_t> key, std::uint32_t count,
                        Make make) {
        auto [found, fresh] = hoisted.try_emplace(key, 0);
        if (!fresh) return found->second;
        found->second = takeKept(count);
        std::vector<std::uint32_t> before = starts;
        words.swap(preheader);
        make(found->second);
        words.swap(preheader);
        starts = std::move(before);
        return found->second;
    }

    /// Where the last operation begins if it is of that kind and no label comes after it.
    std::uint32_t lastIs(Code32 code) const {
        bool is = !starts.empty() && words[starts.back()] == static_cast<std::uint32_t>(code);
        return is ? starts.back() : Label::kUnbound;
    }
    std::uint32_t word(std::uint32_t at) const { return words[at]; }
    void setWord(std::uint32_t at, std::uint32_t value) { words[at] = value; }
    /// Takes back the code from there on.
    void truncate(std::uint32_t at);

private:
    std::uint32_t takeKept(std::uint32_t count);

    Function& function;
    std::vector<std::uint32_t>& words;
    std::vector<std::uint32_t> starts;
    std::vector<std::uint32_t> free[2];
    std::uint32_t next = kHeader;
    bool inLoop = false;
    std::uint32_t loopStart = 0;
    std::vector<std::uint32_t> preheader;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> hoisted;
    std::vector<std::pair<std::uint32_t, std::uint32_t>>
        kept;  ///< slots that hold them, and counts
    std::vector<std::uint32_t>
        freeKept[2];  ///< never used by registers, which come and go in a loop
};

}  // namespace strc::eval
