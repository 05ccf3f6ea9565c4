#include "sched/detail/simulate.h"

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

#include "sched/detail/extrapolate.h"
#include "sched/detail/fold.h"

namespace strc::sched {
namespace {

constexpr std::uint32_t kNobody = UINT32_MAX;

class Simulation {
public:
    Simulation(Network given, Policy policy, Bounds bounds, bool accelerate)
        : network(std::move(given)),
          policy(policy),
          bounds(bounds),
          accelerate(accelerate && policy == Policy::DownstreamFirst && network.barriers.empty()),
          wiring(network),
          waitsFor(network.actors.size()),
          wakes(network.actors.size()),
          missing(network.actors.size()),
          satisfied(network.channels.size(), true) {
        for (std::uint32_t b = 0; b < network.barriers.size(); ++b) {
            waitsFor[network.barriers[b].to].push_back(b);
            wakes[network.barriers[b].from].push_back(b);
        }
        for (std::uint32_t a = 0; a < network.actors.size(); ++a) {
            byRank.emplace_back(network.actors[a].rank, a);
            if (network.actors[a].repetitions > 0) ++unfinished;
        }
        std::sort(byRank.begin(), byRank.end());
        for (std::uint32_t i = 0; i < byRank.size(); ++i) {
            network.actors[byRank[i].second].rank = i;
        }
        for (std::uint32_t c = 0; c < network.channels.size(); ++c) update(c);
        for (std::uint32_t a = 0; a < network.actors.size(); ++a) noteReady(a);
    }

    Simulated run() {
        while (unfinished > 0) {
            const std::uint32_t next = choose();
            if (next == kNobody) return {Simulated::End::Stuck, {}};
            if (next != running && running != kNobody) {
                if (++runs > bounds.runs || folder.size() > bounds.size) {
                    return {Simulated::End::TooLong, {}};
                }
                if (flush()) continue;  // time has leapt: choose again
            }
            running = next;
            fire(next);
        }
        flush();
        return {Simulated::End::Done, folder.finish()};
    }

private:
    bool isFirst(std::uint32_t a) const {
        return network.actors[a].hasFirst && network.actors[a].fired == 0;
    }
    std::int64_t rate(const graph::FlowRate& rate, std::uint32_t a) const {
        return isFirst(a) ? rate.first : rate.then;
    }

    // ---- who can fire

    void update(std::uint32_t c) {
        const Channel& channel = network.channels[c];
        const bool enough = channel.items >= rate(channel.look, channel.to);
        if (enough == satisfied[c]) return;
        satisfied[c] = enough;
        missing[channel.to] += enough ? -1 : 1;
    }

    void noteReady(std::uint32_t a) {
        const Actor& actor = network.actors[a];
        if (missing[a] == 0 && actor.repetitions > 0) ready.insert(actor.rank);
    }

    bool isBarred(std::uint32_t a) const {
        return std::any_of(waitsFor[a].begin(), waitsFor[a].end(), [&](std::uint32_t b) {
            const Barrier& barrier = network.barriers[b];
            return network.actors[barrier.from].fired <
                   barrier.guard->required(network.actors[a].fired + 1);
        });
    }

    bool isReady(std::uint32_t a) const {
        return missing[a] == 0 && network.actors[a].repetitions > 0 && !isBarred(a);
    }

    std::uint32_t choose() {
        while (!ready.empty()) {
            auto it = std::prev(ready.end());
            if (policy == Policy::Thorough) {
                const std::uint32_t from = running == kNobody ? 0 : network.actors[running].rank;
                it = ready.lower_bound(from);
                if (it == ready.end()) it = ready.begin();
            }
            const std::uint32_t a = byRank[*it].second;
            if (isReady(a)) return a;
            ready.erase(it);  // comes back when something changes
        }
        return kNobody;
    }

    /// How many firings `a` can do in a row before another actor may have to be chosen.
    std::int64_t batch(std::uint32_t a) const {
        if (isFirst(a) || !waitsFor[a].empty() || !wakes[a].empty()) return 1;
        std::int64_t most = network.actors[a].repetitions;
        for (std::uint32_t c : wiring.inputs[a]) {
            const Channel& channel = network.channels[c];
            if (channel.pop.then == 0) continue;
            const std::int64_t more = (channel.items - channel.look.then) / channel.pop.then;
            most = std::min(most, more + 1);
        }
        if (policy == Policy::Thorough) return most;
        for (std::uint32_t c : wiring.outputs[a]) {
            const Channel& channel = network.channels[c];
            const Actor& consumer = network.actors[channel.to];
            if (satisfied[c] || consumer.repetitions == 0 || consumer.rank < network.actors[a].rank)
                continue;
            if (channel.push.then == 0) continue;
            const std::int64_t lacking = rate(channel.look, channel.to) - channel.items;
            most = std::min(most, (lacking - 1) / channel.push.then + 1);
        }
        return most;
    }

    // ---- firing

    void fire(std::uint32_t a) {
        const std::int64_t count = batch(a);
        const bool first = isFirst(a);
        for (std::uint32_t c : wiring.inputs[a]) {
            network.channels[c].items -= count * rate(network.channels[c].pop, a);
        }
        for (std::uint32_t c : wiring.outputs[a]) {
            network.channels[c].items += count * rate(network.channels[c].push, a);
        }
        network.actors[a].fired += count;
        spend(a, count);
        for (std::uint32_t c : wiring.inputs[a]) update(c);
        for (std::uint32_t c : wiring.outputs[a]) {
            update(c);
            noteReady(network.channels[c].to);
        }
        for (std::uint32_t b : wakes[a]) noteReady(network.barriers[b].to);
        noteReady(a);
        pending += count;
        pendingAlone = first;
        if (first) flush();
    }

    void spend(std::uint32_t a, std::int64_t count) {
        network.actors[a].repetitions -= count;
        if (network.actors[a].repetitions == 0 && count > 0) --unfinished;
    }

    /// Writes the run down; true if a loop was recognised and further iterations of it were taken.
    bool flush() {
        if (pending == 0) return false;
        const bool loop = folder.append(running, pending, pendingAlone);
        pending = 0;
        pendingAlone = false;
        running = kNobody;
        return loop && accelerate && leap();
    }

    bool leap() {
        const Loop& loop = folder.latest();
        // Attempts cost as much as an iteration: make them ever more rarely.
        if (!std::has_single_bit(static_cast<std::uint64_t>(loop.count))) return false;
        const std::int64_t trips = furtherTrips(network, wiring, loop.children);
        if (trips <= 0) return false;
        for (const auto& [a, once] : firingsOf(loop.children)) {
            const std::int64_t count = trips * once;
            network.actors[a].fired += count;
            spend(a, count);
            for (std::uint32_t c : wiring.inputs[a]) {
                network.channels[c].items -= count * network.channels[c].pop.then;
            }
            for (std::uint32_t c : wiring.outputs[a]) {
                network.channels[c].items += count * network.channels[c].push.then;
            }
        }
        for (const auto& [a, once] : firingsOf(loop.children)) {
            for (std::uint32_t c : wiring.inputs[a]) update(c);
            for (std::uint32_t c : wiring.outputs[a]) {
                update(c);
                noteReady(network.channels[c].to);
            }
            noteReady(a);
        }
        folder.growLatest(trips);
        return true;
    }

    Network network;
    Policy policy;
    Bounds bounds;
    bool accelerate;
    Wiring wiring;
    std::vector<std::vector<std::uint32_t>> waitsFor, wakes;  ///< barriers
    std::vector<std::pair<std::uint32_t, std::uint32_t>> byRank;
    std::vector<std::int64_t> missing;  ///< inputs that hold too little
    std::vector<bool> satisfied;  ///< channels that hold enough
    std::set<std::uint32_t> ready;  ///< ranks; some may turn out not to be
    std::size_t unfinished = 0;
    std::uint32_t running = kNobody;
    std::int64_t pending = 0;  ///< firings of `running` not yet written down
    bool pendingAlone = false;
    std::int64_t runs = 0;
    Folder folder;
};

}  // namespace

Wiring::Wiring(const Network& network)
    : inputs(network.actors.size()), outputs(network.actors.size()) {
    for (std::uint32_t c = 0; c < network.channels.size(); ++c) {
        outputs[network.channels[c].from].push_back(c);
        inputs[network.channels[c].to].push_back(c);
    }
}

Bounds Bounds::within(const base::Limits& limits) const {
    const auto most = static_cast<std::int64_t>(limits.simulationSteps);
    return {std::min(runs, most), size};
}

Simulated simulate(Network network, Policy policy, Bounds bounds, bool accelerate) {
    return Simulation(std::move(network), policy, bounds, accelerate).run();
}

}  // namespace strc::sched
