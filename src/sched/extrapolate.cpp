#include "sched/detail/extrapolate.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

namespace strc::sched {
namespace {

__extension__ using Wide = __int128;

constexpr std::int64_t kMostChecks = 2'000'000;  ///< more work than it saves

void countFirings(const Body& body, std::int64_t times,
                  std::map<std::uint32_t, std::int64_t>& firings) {
    for (const Loop& loop : body) {
        if (loop.isLeaf()) {
            firings[loop.node] += times * loop.count;
        } else {
            countFirings(loop.children, times * loop.count, firings);
        }
    }
}

/// A channel whose contents change during an iteration.
struct Moving {
    std::uint32_t channel = 0;
    Wide change = 0;  ///< in a whole iteration
    /// Contents relative to the start of the iteration: the range over the iterations of the inner loops
    /// that one is in.
    Wide low = 0;
    Wide high = 0;
};

class Extrapolation {
public:
    Extrapolation(const Network& network, const Wiring& wiring, const Body& body)
        : network(network), wiring(wiring) {
        for (const auto& [a, count] : firingsOf(body)) {
            limit(network.actors[a].repetitions / count);
            for (std::uint32_t c : wiring.inputs[a]) {
                at(c).change -= Wide{count} * network.channels[c].pop.then;
            }
            for (std::uint32_t c : wiring.outputs[a]) {
                at(c).change += Wide{count} * network.channels[c].push.then;
            }
        }
        for (const Moving& moving : channels)
            affected.push_back(network.channels[moving.channel].to);
        std::sort(affected.begin(), affected.end());
        affected.erase(std::unique(affected.begin(), affected.end()), affected.end());
    }

    std::int64_t trips(const Body& body) {
        std::int64_t inputs = 0;
        for (std::uint32_t a : affected)
            inputs += static_cast<std::int64_t>(wiring.inputs[a].size());
        if (inputs * leaves(body) > kMostChecks) return 0;
        walk(body);
        return most;
    }

private:
    Moving& at(std::uint32_t c) {
        auto [it, isNew] = place.try_emplace(c, channels.size());
        if (isNew) channels.push_back({c, 0, 0, 0});
        return channels[it->second];
    }

    /// The most items that the channel holds, and by how much that grows in each further iteration.
    std::pair<Wide, Wide> highest(std::uint32_t c) const {
        auto it = place.find(c);
        const Wide items = network.channels[c].items;
        if (it == place.end()) return {items, 0};
        return {items + channels[it->second].high, channels[it->second].change};
    }

    void limit(Wide trips) { most = static_cast<std::int64_t>(std::clamp<Wide>(trips, 0, most)); }

    void walk(const Body& body) {
        for (const Loop& loop : body) {
            if (most == 0) return;
            if (loop.isLeaf()) {
                check(loop.node, loop.count);
                move(loop.node, loop.count);
            } else {
                walkLoop(loop);
            }
        }
    }

    void walkLoop(const Loop& loop) {
        const std::vector<Moving> before = channels;
        for (const auto& [a, count] : firingsOf(loop.children)) move(a, count);
        std::vector<Wide> step;
        for (std::size_t i = 0; i < channels.size(); ++i) {
            step.push_back(channels[i].low - before[i].low);
            const Wide last = (loop.count - 1) * step[i];
            channels[i].low = before[i].low + std::min<Wide>(last, 0);
            channels[i].high = before[i].high + std::max<Wide>(last, 0);
        }
        walk(loop.children);
        for (std::size_t i = 0; i < channels.size(); ++i) {
            channels[i].low = before[i].low + loop.count * step[i];
            channels[i].high = before[i].high + loop.count * step[i];
        }
    }

    void move(std::uint32_t a, std::int64_t count) {
        auto add = [&](std::uint32_t c, Wide items) {
            Moving& moving = at(c);
            moving.low += items;
            moving.high += items;
        };
        for (std::uint32_t c : wiring.inputs[a]) {
            add(c, -Wide{count} * network.channels[c].pop.then);
        }
        for (std::uint32_t c : wiring.outputs[a]) {
            add(c, Wide{count} * network.channels[c].push.then);
        }
    }

    /// A run of `a`: possible, and not to be interrupted.
    void check(std::uint32_t a, std::int64_t count) {
        for (std::uint32_t c : wiring.inputs[a]) {
            const Channel& channel = network.channels[c];
            const Moving& moving = at(c);
            const Wide spare =
                channel.items + moving.low - channel.look.then - Wide{count - 1} * channel.pop.then;
            if (spare < 0) {
                limit(0);
            } else if (moving.change < 0) {
                limit(spare / -moving.change + 1);
            }
        }
        for (std::uint32_t other : affected) {
            const Actor& rival = network.actors[other];
            if (rival.rank <= network.actors[a].rank || rival.repetitions == 0) continue;
            limit(tripsBlocked(other, a, count));
        }
    }

    /// For how many iterations an input of `rival` holds too little until the last of these firings.
    Wide tripsBlocked(std::uint32_t rival, std::uint32_t a, std::int64_t count) const {
        const Actor& actor = network.actors[rival];
        const bool first = actor.hasFirst && actor.fired == 0;
        Wide longest = 0;
        for (std::uint32_t c : wiring.inputs[rival]) {
            const Channel& channel = network.channels[c];
            const auto [items, change] = highest(c);
            Wide lacking = (first ? channel.look.first : channel.look.then) - items;
            if (channel.from == a) lacking -= Wide{count - 1} * channel.push.then;
            if (lacking <= 0) continue;
            if (change <= 0) return most;
            longest = std::max(longest, (lacking - 1) / change + 1);
        }
        return longest;
    }

    const Network& network;
    const Wiring& wiring;
    std::vector<Moving> channels;
    std::unordered_map<std::uint32_t, std::size_t> place;  ///< into channels
    std::vector<std::uint32_t> affected;  ///< actors whose inputs change during an iteration
    std::int64_t most = INT64_MAX;
};

}  // namespace

std::map<std::uint32_t, std::int64_t> firingsOf(const Body& body) {
    std::map<std::uint32_t, std::int64_t> firings;
    countFirings(body, 1, firings);
    return firings;
}

std::int64_t furtherTrips(const Network& network, const Wiring& wiring, const Body& body) {
    return Extrapolation(network, wiring, body).trips(body);
}

}  // namespace strc::sched
