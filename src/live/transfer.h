#pragma once
/// What a program that takes the place of another one goes on with. In: the plans of both, made without passes over the graph. Out: pieces of
/// memory to copy from the state of the one to that of the other, both between two phases, and a text that says what that is.
///
/// A filter goes on with the fields that its firings change, and with its count of firings, if the other program has an instance
/// of the same path and name, with the same types of items and the same such fields. What only `init` computes is as the
/// new program has it. A channel goes on with the items of the channel between the same two ends, the newest ones if there are
/// fewer or more of them: so all branches of the new program stay as far behind the input as its schedule has them. A message on its way
/// arrives if its receiver goes on and has the handler.

#include <cstdint>
#include <string>
#include <vector>

#include "plan/handler.h"
#include "plan/plan.h"
#include "strc/transfer.h"

namespace strc::live {

/// Bytes of one state that go to another.
struct Piece {
    std::int64_t from = 0, to = 0, size = 0;
    bool operator==(const Piece&) const = default;
};

enum class Fate : std::uint8_t { Kept, New, Changed, Gone };

/// What becomes of a filter with state.
struct FilterFate {
    std::string path;
    Fate fate = Fate::Kept;
    std::string what;  ///< Kept: its fields; Changed: what is another
};

/// What becomes of the items on a channel of the new program.
struct ChannelFate {
    std::string path;  ///< "Main.A -> Main.B"
    std::int64_t kept = 0, wanted = 0, had = 0;  ///< items; `had`: in the old program
};

/// What becomes of messages on their way to a handler of the old program, by row.
struct HandlerFate {
    std::string path;  ///< "Main.Gain.set"
    std::string why;  ///< they are dropped; empty: they are not
};

struct Transfer {
    std::vector<Piece> pieces;
    std::vector<FilterFate>
        filters;  ///< those of the new program by node, then those that are gone
    std::vector<ChannelFate> channels;
    // ---- what only the run knows the amount of
    std::vector<HandlerFate> handlers;
    std::vector<strc_handler_transfer> handlerRows;  ///< parallel to them
    std::vector<strc_box_transfer> boxes;
    std::vector<std::string> queues;  ///< "Main.A -> Main.B"
    std::vector<strc_queue_transfer> queueRows;  ///< parallel to them
    std::vector<strc_actor_transfer> actors;
    bool keepsCounts = false;

    /// For the runtime, which counts in the rows what it has kept.
    strc_flow_transfer rows();
};

/// A program with its handlers, by row of strc_program.handlers.
struct Program {
    const plan::Plan& plan;
    const std::vector<plan::Handler>& handlers;
};

/// Why nothing can take the place of such a program, or it that of another, as half a sentence; or empty.
std::string whyNot(const plan::Plan&);
/// Why not just these two.
std::string whyNot(const plan::Plan& before, const plan::Plan& after);

Transfer transferOf(const Program& before, const Program& after);

/// A line for each filter and channel that something becomes of.
std::string print(const Transfer&);
/// The same for what was on its way, once the new program runs.
std::string printMoved(const Transfer&);

}  // namespace strc::live
