#include "eval/detail/builder.h"

#include <algorithm>

namespace strc::eval {

void Builder::op(Code32 code, std::initializer_list<std::uint32_t> operands) {
    STRC_ASSERT(operands.size() == eval::operands(code).size(), "operands of an opcode");
    if (starts.size() == 8) starts.erase(starts.begin(), starts.begin() + 4);
    starts.push_back(here());
    words.push_back(static_cast<std::uint32_t>(code));
    words.insert(words.end(), operands);
}

void Builder::jump(Code32 code, std::initializer_list<std::uint32_t> operands, Label& to) {
    std::uint32_t start = here();
    words.push_back(static_cast<std::uint32_t>(code));
    words.insert(words.end(), operands);
    if (to.at == Label::kUnbound) to.waiting.push_back({start, here()});
    words.push_back(to.at - start);
    starts.push_back(start);
    STRC_ASSERT(here() - start == 1 + eval::operands(code).size(), "operands of a jump");
}

void Builder::bind(Label& label) {
    label.at = here();
    for (auto [start, word] : label.waiting) words[word] = label.at - start;
    label.waiting.clear();
    starts.clear();
}

void Builder::forward(Label& from, Label& to) {
    for (auto [start, word] : from.waiting) {
        if (to.at == Label::kUnbound)
            to.waiting.push_back({start, word});
        else
            words[word] = to.at - start;
    }
    from.waiting.clear();
}

SourceRange Builder::markRange(SourceRange range) {
    SourceRange before = function.ranges.empty() ? range : function.ranges.back().range;
    if (function.ranges.empty() || !(before == range)) function.ranges.push_back({here(), range});
    return before;
}

void Builder::markRange(SourceRange first, SourceRange second) {
    markRange(first);
    if (!(first == second)) function.ranges.push_back({here() + 1, second});
}

std::uint32_t Builder::take(std::uint32_t count) {
    std::vector<std::uint32_t>& list = free[count - 1];
    if (list.empty()) {
        std::uint32_t slot = next;
        next += count;
        return slot;
    }
    std::uint32_t slot = list.back();
    list.pop_back();
    return slot;
}

void Builder::give(std::uint32_t slot, std::uint32_t count) { free[count - 1].push_back(slot); }

std::uint32_t Builder::takeKept(std::uint32_t count) {
    std::vector<std::uint32_t>& list = freeKept[count - 1];
    std::uint32_t slot = next;
    if (list.empty()) {
        next += count;
    } else {
        slot = list.back();
        list.pop_back();
    }
    kept.push_back({slot, count});
    return slot;
}

void Builder::needOutgoing(std::uint32_t slots) {
    function.outgoing = std::max(function.outgoing, slots);
}

void Builder::finish(std::deque<HostOp>& hostOps) {
    function.slots = next;
    auto place = [&](std::uint32_t& slot) {
        if (slot & kOutgoing) slot = slot - kOutgoing + next;
    };
    for (std::size_t at = 0; at < words.size();) {
        const auto operation = static_cast<Code32>(words[at++]);
        if (operation == Code32::Host) place(hostOps[words[at]].result);
        for (char letter : operands(operation)) {
            if (letter == 's' || letter == 'd') place(words[at]);
            ++at;
        }
    }
}

void Builder::beginPreheader() {
    inLoop = true;
    loopStart = here();
    starts.clear();
}

// Jumps are relative and none enters or leaves the code of an outermost loop, which begins with its
// only entry and ends with its only exit: it can be moved as a whole.
void Builder::endPreheader() {
    words.insert(words.begin() + loopStart, preheader.begin(), preheader.end());
    auto moved = static_cast<std::uint32_t>(preheader.size());
    for (auto at = function.ranges.rbegin(); at != function.ranges.rend() && at->at > loopStart;
         ++at)
        at->at += moved;
    for (auto call = function.firingCalls.rbegin();
         call != function.firingCalls.rend() && call->at >= loopStart; ++call)
        call->at += moved;
    for (auto [slot, count] : kept) freeKept[count - 1].push_back(slot);
    inLoop = false;
    preheader.clear();
    hoisted.clear();
    kept.clear();
    starts.clear();
}

void Builder::truncate(std::uint32_t at) {
    words.resize(at);
    starts.clear();
}

}  // namespace strc::eval
