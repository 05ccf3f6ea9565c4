// Which steps a thread does together: what is not worth a hand-over of its own joins what stands beside it.
#include <algorithm>
#include <utility>

#include "plan/detail/partition.h"
#include "strc/partitions.h"

namespace strc::plan {
namespace {

constexpr std::size_t kNobody = SIZE_MAX;
constexpr int kMostRounds = 64;
/// Steps that are compared with each other; more of them are joined in their order first.
constexpr std::size_t kMostDrafts = 4 * STRC_MOST_PARTITIONS;

class Joining {
public:
    Joining(std::vector<PartitionDraft>& all, double leastWork) : drafts(all), least(leastWork) {
        for (const PartitionDraft& draft : drafts) total += draft.work;
    }

    void run() {
        joinOwners();
        joinNeighbours();
        joinSmall(0);
        for (int k = 0; k < kMostRounds && count() > STRC_MOST_PARTITIONS; ++k) {
            least *= 2;
            joinSmall(STRC_MOST_PARTITIONS);
        }
    }

private:
    bool isThere(std::size_t k) const { return !drafts[k].steps.empty(); }

    std::size_t count() const {
        return static_cast<std::size_t>(
            std::count_if(drafts.begin(), drafts.end(),
                          [](const PartitionDraft& draft) { return !draft.steps.empty(); }));
    }

    /// Feedback loops in blocks are several steps behind each other.
    void joinOwners() {
        std::size_t last = 0;
        for (std::size_t k = 1; k < drafts.size(); ++k) {
            const bool isSame =
                std::any_of(drafts[k].nodes.begin(), drafts[k].nodes.end(),
                            [&](NodeId node) { return drafts[last].nodes.contains(node); });
            if (!isSame) {
                last = k;
                continue;
            }
            join(last, k);
            drafts[last].isSliced = false;
        }
    }

    /// Of very many steps those behind each other: in the order of the phase nothing goes round that way.
    void joinNeighbours() {
        if (drafts.size() <= kMostDrafts) return;
        const double enough = total / kMostDrafts;
        std::size_t open = 0;
        for (std::size_t k = 1; k < drafts.size(); ++k) {
            if (!isThere(k)) continue;
            if (drafts[open].work + drafts[k].work <= enough)
                join(open, k);
            else
                open = k;
        }
    }

    /// Until whatever is small would have to pay for company, or there are few enough.
    void joinSmall(std::size_t enough) {
        std::vector<bool> stays(drafts.size());
        while (count() > enough) {
            const std::size_t small = smallest(stays);
            if (small == kNobody) return;
            const std::size_t other = bestFor(small);
            if (other == kNobody)
                stays[small] = true;
            else
                join(small, other);
        }
    }

    std::size_t smallest(const std::vector<bool>& stays) const {
        std::size_t found = kNobody;
        for (std::size_t k = 0; k < drafts.size(); ++k)
            if (isThere(k) && !stays[k] && drafts[k].work < least &&
                (found == kNobody || drafts[k].work < drafts[found].work))
                found = k;
        return found;
    }

    /// Whom it joins at the least price, if that is less than a hand-over; of several the one with the least work.
    std::size_t bestFor(std::size_t k) const {
        std::size_t best = kNobody;
        double bestPrice = least * kHandOver / kLeastPartition;
        auto consider = [&](std::size_t other, double price) {
            price += priceOfOrder(k, other);
            const bool isBetter = price < bestPrice || (price == bestPrice && best != kNobody &&
                                                        drafts[other].work < drafts[best].work);
            if (isBetter && !wouldGoRound(k, other)) {
                best = other;
                bestPrice = price;
            }
        };
        for (std::size_t other : drafts[k].to) consider(other, priceOfEdge(k, other));
        for (std::size_t other : drafts[k].from) consider(other, priceOfEdge(other, k));
        for (std::size_t other = 0; other < drafts.size(); ++other)
            if (other != k && isThere(other) && drafts[other].work < least &&
                drafts[other].from == drafts[k].from && drafts[other].to == drafts[k].to)
                consider(other, 0);
        return best;
    }

    /// Those who read only the first wait for the second as well, and the first waits for what the second needs.
    double priceOfEdge(std::size_t from, std::size_t to) const {
        return (drafts[from].to.size() > 1 ? drafts[to].work : 0) +
               (drafts[to].from.size() > 1 ? drafts[from].work : 0);
    }

    /// What could be done in any order, or in slices, cannot be any more beside what cannot.
    double priceOfOrder(std::size_t a, std::size_t b) const {
        double price = 0;
        if (wouldBeInOrder(a, b))
            for (std::size_t each : {a, b})
                if (!drafts[each].isInOrder) price += drafts[each].work / 4;
        if (drafts[a].isSliced != drafts[b].isSliced)
            price += drafts[drafts[a].isSliced ? a : b].work;
        return price;
    }

    /// A slice that reads what the slices before it have made waits for these.
    bool wouldBeInOrder(std::size_t a, std::size_t b) const {
        return drafts[a].isInOrder || drafts[b].isInOrder || drafts[a].before.contains(b) ||
               drafts[b].before.contains(a);
    }

    /// Is there a way from one to the other that leads through others?
    bool wouldGoRound(std::size_t a, std::size_t b) const { return leadsTo(a, b) || leadsTo(b, a); }

    bool leadsTo(std::size_t from, std::size_t to) const {
        std::vector<bool> seen(drafts.size());
        std::vector<std::size_t> todo;
        for (std::size_t next : drafts[from].to)
            if (next != to) todo.push_back(next);
        while (!todo.empty()) {
            const std::size_t at = todo.back();
            todo.pop_back();
            if (at == to) return true;
            if (seen[at]) continue;
            seen[at] = true;
            todo.insert(todo.end(), drafts[at].to.begin(), drafts[at].to.end());
        }
        return false;
    }

    void join(std::size_t to, std::size_t gone) {
        const bool isInOrder = wouldBeInOrder(to, gone);
        PartitionDraft &into = drafts[to], from = std::exchange(drafts[gone], {});
        into.steps.insert(into.steps.end(), from.steps.begin(), from.steps.end());
        std::sort(into.steps.begin(), into.steps.end());
        into.nodes.merge(from.nodes);
        into.work += from.work;
        into.isInOrder = isInOrder;
        into.drawsRandom = into.drawsRandom || from.drawsRandom;
        into.isSliced = into.isSliced && from.isSliced;
        for (std::size_t each : from.from) {
            drafts[each].to.erase(gone);
            if (each != to) drafts[each].to.insert(to), into.from.insert(each);
        }
        for (std::size_t each : from.to) {
            drafts[each].from.erase(gone);
            if (each != to) drafts[each].from.insert(to), into.to.insert(each);
            if (drafts[each].before.erase(gone) != 0 && each != to) drafts[each].before.insert(to);
        }
        into.before.merge(from.before);
        into.before.erase(to);
    }

    std::vector<PartitionDraft>& drafts;
    double least, total = 0;
};

}  // namespace

void joinDrafts(std::vector<PartitionDraft>& drafts, double least) { Joining(drafts, least).run(); }

}  // namespace strc::plan
