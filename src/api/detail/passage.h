#pragma once
/// From one program of a stream to the next one: what waited at the two ends of the old one, and the time in which
/// both are heard. Nothing here takes memory once it is prepared.

#include <cstdint>

#include "api/detail/item_queue.h"
#include "strc/flow.h"

struct strc_stream;

namespace strc::api {

/// A call's progress, as its caller sees it.
struct PassageCall {
    const strc_flow_ends& ends;
    std::size_t taken = 0, given = 0;

    std::size_t room() const { return ends.out_count - given; }
    std::size_t left() const { return ends.in_count - taken; }
    /// What is left of it, as a call of its own; this one outlives it.
    strc_flow_ends rest();
};

class Passage {
public:
    using Function = int (*)(strc_flow*, const strc_flow_ends*);

    /// Takes the memory. `fade`: items of the output in which the old program goes over to the new one; floats of `floatSize`
    /// bytes.
    void prepare(const strc_stream& before, const strc_stream& after, std::uint64_t fade,
                 std::size_t floatSize);
    /// `before` has run until now, and goes on as long as it is heard.
    void begin(strc_stream& before);
    /// Whatever waits is gone.
    void cut();

    bool isUnderWay() const { return isFading() || inputs.count() != 0 || outputs.count() != 0; }
    bool isFading() const { return fadeLeft != 0; }

    /// strc_flow_process or strc_flow_drain of the new program, behind what waits. 0, or -1 after a fault in it.
    int run(strc_stream& after, Function, const strc_flow_ends&);

private:
    void giveOutputs(PassageCall&);
    int feed(strc_stream& after, Function, PassageCall&);
    int fadeOver(strc_stream& after, PassageCall&);
    int advance(strc_stream& after, PassageCall&, bool& hasMore);
    void giveMixed(std::size_t items, PassageCall&);
    void endFade();

    ItemQueue inputs;  ///< that the old program has taken from the caller, and not used
    ItemQueue outputs;  ///< for which the caller had no room
    strc_stream* old = nullptr;  ///< while it is heard
    std::uint64_t fadeLeft = 0, fadeItems = 0;
    std::size_t floatSize = 0;  ///< bytes
    std::size_t slice = 0;  ///< items that both programs are given at once
    std::size_t itemSize = 0;  ///< of the output
    ItemQueue oldItems, newItems;  ///< that have not been mixed yet
};

}  // namespace strc::api
