#pragma once
/// A program that is to take the place of a stream's. One thread asks for it and is told of it; a thread of its own
/// makes it; the thread that processes items changes over, between two steady states, without waiting for anything.

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "api/detail/passage.h"
#include "live/transfer.h"
#include "strc/strc.h"

namespace strc::api {

/// All that changing over needs.
struct Successor {
    explicit Successor(strc_compiler& made) : compiler(&made) {}

    strc_compiler* compiler;
    std::uint64_t fade = 0;
    std::unique_ptr<strc_stream> stream;  ///< of the new program, and afterwards of the old one
    live::Transfer transfer;
    Passage passage;
    std::string told, toldAnew;  ///< if the old one has a state to go on with, and if it has none
    bool goesOn = true;  ///< which of them; known when the program has changed over
};

class Replacing {
public:
    Replacing();
    ~Replacing();
    Replacing(const Replacing&) = delete;
    Replacing& operator=(const Replacing&) = delete;

    // ---- for whoever asks
    strc_status begin(const strc_stream&, strc_compiler&, std::uint64_t fade);
    void tell(bool waits, strc_replacement& to);

    // ---- for the thread that processes items
    /// Changes over if there is a program that is ready.
    void takeOver(strc_stream&);
    bool isUnderWay() const { return passage.isUnderWay(); }
    /// As Passage::run. A program with dynamic rates is changed over in it.
    int run(strc_stream&, Passage::Function, const strc_flow_ends&);
    /// The stream begins anew.
    void reset();

private:
    bool isBusy() const;
    void settle();
    std::string toldOf(const Successor&) const;
    bool isReady(const strc_stream&) const;
    bool canTakeOver(const strc_stream&) const;
    int runUntilBetween(strc_stream&, const strc_flow_ends&);
    int runBehind(strc_stream&, Passage::Function, const strc_flow_ends&);

    std::atomic<strc_replacing> state{STRC_REPLACING_NOTHING};
    std::unique_ptr<Successor> successor;
    Passage passage;
    std::string told;
    std::thread maker;
};

}  // namespace strc::api
