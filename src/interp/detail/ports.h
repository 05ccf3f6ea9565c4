#pragma once
/// Items of a filter with several ports on a side, which lie in its fields while it fires (ir::StreamCode::inputFields). Of other
/// filters nothing is done.

#include "interp/detail/actor.h"
#include "interp/detail/channels.h"

namespace strc::interp {

inline bool hasPorts(const Actor& actor) {
    return !actor.node->inputRates.empty() || !actor.node->outputRates.empty();
}

/// Are those there that the next firing takes?
bool hasItemsAtPorts(const Channels&, const Actor&);
/// Those of the next firing, into the fields.
void takeAtPorts(Channels&, Actor&);
/// Those of the firing that is done, out of the fields.
void giveAtPorts(Channels&, Actor&);

/// While the program drains, when a firing is not whole: so many items, at most, by input port; so many, by output port.
void takeAtPort(Channels&, Actor&, std::size_t port, std::int64_t most);
void giveAtPort(Channels&, Actor&, std::size_t port, std::int64_t items);

}  // namespace strc::interp
