#include "interp/detail/ports.h"

#include <algorithm>
#include <cstring>

namespace strc::interp {
namespace {

std::int64_t rateOf(const Actor& actor, const graph::FlowRate& port) {
    return actor.fired == 0 && actor.node->prework ? port.first : port.then;
}

std::byte* fieldOf(Actor& actor, std::uint32_t field) {
    return actor.instance.state.data() + actor.kernel->fieldOffsets[field];
}

}  // namespace

bool hasItemsAtPorts(const Channels& channels, const Actor& actor) {
    const graph::Node& node = *actor.node;
    for (std::size_t port = 0; port < node.inputRates.size(); ++port) {
        const auto items = static_cast<std::uint64_t>(rateOf(actor, node.inputRates[port]));
        if (!channels.tapes[node.inputs[port]].has(items)) return false;
    }
    return true;
}

void takeAtPorts(Channels& channels, Actor& actor) {
    for (std::size_t port = 0; port < actor.node->inputRates.size(); ++port)
        takeAtPort(channels, actor, port, rateOf(actor, actor.node->inputRates[port]));
}

void giveAtPorts(Channels& channels, Actor& actor) {
    for (std::size_t port = 0; port < actor.node->outputRates.size(); ++port)
        giveAtPort(channels, actor, port, rateOf(actor, actor.node->outputRates[port]));
}

void takeAtPort(Channels& channels, Actor& actor, std::size_t port, std::int64_t most) {
    eval::Tape& tape = channels.tapes[actor.node->inputs[port]];
    const std::uint64_t items = std::min(tape.size(), static_cast<std::uint64_t>(most));
    if (items == 0) return;
    std::memcpy(fieldOf(actor, actor.kernel->code.inputFields[port]), tape.at(0),
                items * tape.bytesPerItem());
    tape.drop(items);
}

void giveAtPort(Channels& channels, Actor& actor, std::size_t port, std::int64_t items) {
    if (items == 0) return;
    eval::Tape& tape = channels.tapes[actor.node->outputs[port]];
    const auto count = static_cast<std::uint64_t>(items);
    std::byte* to = tape.append(count);
    std::memcpy(to, fieldOf(actor, actor.kernel->code.outputFields[port]),
                count * tape.bytesPerItem());
}

}  // namespace strc::interp
