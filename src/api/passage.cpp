#include "api/detail/passage.h"

#include <algorithm>
#include <cstring>

#include "api/detail/stream.h"

namespace strc::api {
namespace {

constexpr std::size_t kSlice = 256;

/// Output items that come at most when so many input items are given at once.
std::size_t mostOutputs(const strc_stream& stream, std::size_t inputs) {
    const strc_stream_about& about = stream.about;
    const std::size_t blocks = about.block_in == 0
                                   ? inputs / std::max<std::size_t>(about.block_out, 1)
                                   : inputs / about.block_in;
    return (blocks + 2) * about.block_out + about.first_out;
}

/// The ends of a call, the input behind items that wait.
struct Feed {
    PassageCall& call;
    const ItemQueue& waiting;
    std::size_t itemSize;

    static Feed& of(void* self) { return *static_cast<Feed*>(self); }
    void take(void* to, std::size_t first, std::size_t items) const {
        const std::size_t known =
            first < waiting.count() ? std::min(items, waiting.count() - first) : 0;
        if (known != 0) std::memcpy(to, waiting.at(first), known * itemSize);
        if (known == items) return;
        const std::size_t next = first + known - waiting.count() + call.taken;
        call.ends.take(call.ends.self, static_cast<std::byte*>(to) + known * itemSize, next,
                       items - known);
    }
};

strc_flow_ends endsOf(Feed& feed) {
    strc_flow_ends made{};
    made.self = &feed;
    made.out_count = feed.call.room();
    made.take = [](void* self, void* to, std::size_t first, std::size_t items) {
        Feed::of(self).take(to, first, items);
    };
    made.give = [](void* self, const void* from, std::size_t first, std::size_t items) {
        const PassageCall& call = Feed::of(self).call;
        call.ends.give(call.ends.self, from, call.given + first, items);
    };
    made.print = [](void* self, const char* text, std::uint64_t size) {
        const strc_flow_ends& ends = Feed::of(self).call.ends;
        if (ends.print) ends.print(ends.self, text, size);
    };
    return made;
}

/// Items from one queue to another.
struct Collected {
    const ItemQueue& from;
    std::size_t first, itemSize;  ///< of what is taken
    ItemQueue& to;
    const strc_flow_ends* printing;  ///< null: what it prints is not heard
};

/// Gives the program `inputs` items; what comes of them goes to a queue. 0, or -1 after a fault.
int collect(strc_stream& stream, Collected how, std::size_t inputs, std::size_t outputs) {
    strc_flow_ends ends{};
    ends.self = &how;
    ends.in_count = inputs;
    ends.out_count = outputs;
    ends.take = [](void* self, void* to, std::size_t first, std::size_t items) {
        const auto& collected = *static_cast<Collected*>(self);
        std::memcpy(to, collected.from.at(collected.first + first), items * collected.itemSize);
    };
    ends.give = [](void* self, const void* from, std::size_t, std::size_t items) {
        static_cast<Collected*>(self)->to.append(from, items);
    };
    if (how.printing)
        ends.print = [](void* self, const char* text, std::uint64_t size) {
            const strc_flow_ends& heard = *static_cast<Collected*>(self)->printing;
            if (heard.print) heard.print(heard.self, text, size);
        };
    return stream.run(strc_flow_process, ends);
}

template <typename Float>
void mix(std::byte* to, const std::byte* from, std::size_t bytes, Float part) {
    for (std::size_t at = 0; at + sizeof(Float) <= bytes; at += sizeof(Float)) {
        Float before = 0, after = 0;
        std::memcpy(&before, to + at, sizeof before);
        std::memcpy(&after, from + at, sizeof after);
        before += (after - before) * part;
        std::memcpy(to + at, &before, sizeof before);
    }
}

}  // namespace

strc_flow_ends PassageCall::rest() {
    strc_flow_ends made{};
    made.self = this;
    made.in_count = left();
    made.out_count = room();
    made.take = [](void* self, void* to, std::size_t first, std::size_t items) {
        const auto& call = *static_cast<PassageCall*>(self);
        call.ends.take(call.ends.self, to, call.taken + first, items);
    };
    made.give = [](void* self, const void* from, std::size_t first, std::size_t items) {
        const auto& call = *static_cast<PassageCall*>(self);
        call.ends.give(call.ends.self, from, call.given + first, items);
    };
    if (ends.print)
        made.print = [](void* self, const char* text, std::uint64_t size) {
            const strc_flow_ends& outer = static_cast<PassageCall*>(self)->ends;
            outer.print(outer.self, text, size);
        };
    return made;
}

void Passage::prepare(const strc_stream& before, const strc_stream& after, std::uint64_t fade,
                      std::size_t bytesOfFloat) {
    fadeItems = fadeLeft = fade;
    floatSize = bytesOfFloat;
    itemSize = after.facts.out_size;
    slice = std::max({kSlice, static_cast<std::size_t>(before.about.block_in),
                      static_cast<std::size_t>(after.about.block_in)});
    const std::size_t waiting = before.about.first_in + before.about.block_in;
    const std::size_t most =
        mostOutputs(before, slice + waiting) + mostOutputs(after, slice + waiting);
    inputs.reserve(2 * (waiting + slice), after.facts.in_size);
    outputs.reserve(2 * most + before.about.first_out + before.about.block_out, itemSize);
    if (fade == 0) return;
    oldItems.reserve(2 * most, itemSize);
    newItems.reserve(2 * most, itemSize);
}

void Passage::begin(strc_stream& before) {
    strc_flow& flow = *before.flow;
    const strc_flow_queue &waiting = flow.waiting, &pending = flow.pending;
    if (waiting.count != 0)
        inputs.append(waiting.items + waiting.first * waiting.size, waiting.count);
    if (pending.count != 0)
        outputs.append(pending.items + pending.first * pending.size, pending.count);
    flow.pending.first = flow.pending.count = 0;
    if (flow.has_failed || !flow.has_begun) fadeLeft = 0;
    old = isFading() ? &before : nullptr;
}

void Passage::cut() {
    endFade();
    inputs.clear();
    outputs.clear();
}

void Passage::endFade() {
    if (newItems.count() != 0) outputs.append(newItems.at(0), newItems.count());
    newItems.clear();
    oldItems.clear();
    fadeLeft = 0;
    old = nullptr;
}

int Passage::run(strc_stream& after, Function what, const strc_flow_ends& ends) {
    strc_flow& flow = *after.flow;
    const std::uint64_t taken = flow.all_taken, given = flow.all_given;
    PassageCall call{ends};
    int failed = 0;
    if (what == strc_flow_drain && isFading()) endFade();
    giveOutputs(call);
    if (outputs.count() == 0 && isFading()) failed = fadeOver(after, call);
    if (failed == 0 && outputs.count() == 0 && !isFading()) failed = feed(after, what, call);
    flow.taken = call.taken;
    flow.given = call.given;
    flow.all_taken = taken + call.taken;
    flow.all_given = given + call.given;
    return failed;
}

void Passage::giveOutputs(PassageCall& call) {
    const std::size_t items = std::min(outputs.count(), call.room());
    if (items == 0) return;
    call.ends.give(call.ends.self, outputs.at(0), call.given, items);
    outputs.drop(items);
    call.given += items;
}

/// Draining begins when all that waits has been taken.
int Passage::feed(strc_stream& after, Function what, PassageCall& call) {
    strc_flow& flow = *after.flow;
    if (what == strc_flow_process || inputs.count() != 0) {
        Feed feed{call, inputs, after.facts.in_size};
        strc_flow_ends ends = endsOf(feed);
        ends.in_count = inputs.count() + call.left();
        const int failed = after.run(strc_flow_process, ends);
        const std::size_t known = std::min(flow.taken, inputs.count());
        inputs.drop(known);
        call.taken += flow.taken - known;
        call.given += flow.given;
        if (failed != 0) return -1;
    }
    if (what == strc_flow_process || inputs.count() != 0) return 0;
    Feed feed{call, inputs, after.facts.in_size};
    const strc_flow_ends ends = endsOf(feed);
    const int failed = after.run(what, ends);
    call.given += flow.given;
    return failed == 0 ? 0 : -1;
}

// ---- both programs at once

int Passage::fadeOver(strc_stream& after, PassageCall& call) {
    bool hasMore = true;
    while (hasMore && fadeLeft != 0 && call.room() != 0) {
        const std::size_t both = std::min(oldItems.count(), newItems.count());
        const std::size_t items = std::min({both, call.room(), static_cast<std::size_t>(fadeLeft)});
        if (items != 0)
            giveMixed(items, call);
        else if (advance(after, call, hasMore) != 0)
            return -1;
    }
    if (fadeLeft != 0) return 0;
    endFade();
    giveOutputs(call);
    return 0;
}

void Passage::giveMixed(std::size_t items, PassageCall& call) {
    for (std::size_t k = 0; k < items; ++k) {
        // The weight of the new program grows by the same step from item to item, from above 0 to below 1.
        const double part =
            static_cast<double>(fadeItems - fadeLeft + 1) / (static_cast<double>(fadeItems) + 1);
        auto* to = const_cast<std::byte*>(oldItems.at(k));
        if (floatSize == sizeof(double))
            mix(to, newItems.at(k), itemSize, part);
        else
            mix(to, newItems.at(k), itemSize, static_cast<float>(part));
        --fadeLeft;
    }
    call.ends.give(call.ends.self, oldItems.at(0), call.given, items);
    oldItems.drop(items);
    newItems.drop(items);
    call.given += items;
}

/// A slice more of both programs. An old one that fails, or lags, is not waited for.
int Passage::advance(strc_stream& after, PassageCall& call, bool& hasMore) {
    const bool hasInput = after.facts.in_size != 0;
    const std::size_t fresh = hasInput ? std::min({call.left(), slice, inputs.room()}) : 0;
    hasMore = hasInput ? fresh != 0 || inputs.count() != 0 : true;
    if (!hasMore) return 0;
    if (fresh != 0) {
        call.ends.take(call.ends.self, inputs.append(fresh), call.taken, fresh);
        call.taken += fresh;
    }
    const std::size_t known = inputs.count() - fresh;
    const std::size_t wanted =
        hasInput ? newItems.room() : std::min({call.room(), slice, newItems.room()});
    const std::size_t had = newItems.count();
    const bool isHeard = collect(*old, {inputs, known, after.facts.in_size, oldItems, nullptr},
                                 fresh, std::min(wanted, oldItems.room())) == 0 &&
                         (!hasInput || old->flow->taken == fresh);
    const int failed = collect(after, {inputs, 0, after.facts.in_size, newItems, &call.ends},
                               inputs.count(), wanted);
    if (failed != 0) return -1;
    if (hasInput) inputs.drop(after.flow->taken);
    hasMore = fresh != 0 || newItems.count() != had;
    if (!isHeard) fadeLeft = 0;
    return 0;
}

}  // namespace strc::api
