#include "linear/detail/combine.h"

#include <algorithm>
#include <numeric>

#include "base/assert.h"

namespace strc::linear {
namespace {

/// Firings and windows beyond that are refused before anything is computed with them.
constexpr std::int64_t kMostItems = 1 << 20;

/// Item `index` of an endless row of firings, as a row of the matrix and a position in the input.
struct ItemOf {
    const Affine& row;
    std::int64_t shift;
};
ItemOf item(const Form& form, std::int64_t index) {
    return {form.rows[static_cast<std::size_t>(index % form.push())],
            index / form.push() * form.pop};
}

std::int64_t tripsFor(std::int64_t items, std::int64_t each) { return (items + each - 1) / each; }

/// The least common multiple, or 0 if it is too large.
std::int64_t boundedLcm(std::int64_t a, std::int64_t b) {
    const std::int64_t factor = b / std::gcd(a, b);
    return a > kMostItems / factor ? 0 : a * factor;
}

}  // namespace

std::optional<Combined> inPipeline(const Form& first, const Form& second) {
    STRC_ASSERT(first.type == second.type, "neighbours with other items");
    const Domain domain = domainOf(first.type);
    const std::int64_t items = boundedLcm(first.push(), second.pop);
    if (items == 0) return std::nullopt;
    const std::int64_t firings[] = {items / first.push(), items / second.pop};
    if (firings[1] * second.push() > kMostRows || firings[0] * first.pop > kMostItems)
        return std::nullopt;
    Combined whole{{first.type, firings[0] * first.pop, 0, {}}, {firings[0], firings[1]}};
    std::int64_t terms = 0;
    for (std::int64_t k = 0; k < firings[1] * second.push(); ++k) {
        const ItemOf given = item(second, k);
        Affine row;
        row.constant = given.row.constant;
        for (const Term& term : given.row.terms) {
            const ItemOf taken = item(first, term.item + given.shift);
            addTo(domain, row, taken.row, term.factor, taken.shift);
            if (static_cast<std::int64_t>(row.terms.size()) > kMostTerms) return std::nullopt;
        }
        dropNoise(first.type, row);
        terms += static_cast<std::int64_t>(row.terms.size());
        if (terms > kMostTerms) return std::nullopt;
        whole.form.rows.push_back(std::move(row));
        whole.form.needs.push_back(first.need(second.need(k + 1)));
    }
    whole.form.peek = whole.form.needs.back();
    if (whole.form.peek > kMostItems) return std::nullopt;
    return whole;
}

namespace {

/// Rounds of a round robin that give or take what the branches need: all of them fire whole times.
std::int64_t joinTrips(std::span<const Form* const> branches, std::span<const std::int64_t> joins) {
    std::int64_t trips = 1;
    for (std::size_t k = 0; k < branches.size(); ++k) {
        const std::int64_t own = branches[k]->push() / std::gcd(branches[k]->push(), joins[k]);
        trips = boundedLcm(trips, own);
        if (trips == 0) return 0;
    }
    return trips;
}

/// Where item `index` of a branch comes from, before a round robin splitter.
struct Share {
    std::int64_t weight, before, total;
    std::int64_t origin(std::int64_t index) const {
        return index / weight * total + before + index % weight;
    }
};

Affine moved(Domain domain, ItemOf given, const Share* share) {
    Affine row;
    if (!share) {
        addTo(domain, row, given.row, {1, 0}, given.shift);
        return row;
    }
    row.constant = given.row.constant;
    for (const Term& term : given.row.terms)
        row.terms.push_back({share->origin(term.item + given.shift), term.factor});
    return row;
}

}  // namespace

std::optional<Combined> inSplitJoin(std::span<const Form* const> branches,
                                    std::span<const std::int64_t> splits,
                                    std::span<const std::int64_t> joins) {
    std::int64_t trips = joinTrips(branches, joins);
    std::int64_t rows = 0;
    for (std::int64_t weight : joins) rows += weight;
    if (trips == 0 || rows > kMostRows || trips > kMostRows) return std::nullopt;
    // Round robin splitters take whole rounds, too.
    std::int64_t total = 0;
    for (std::size_t k = 0; k < splits.size(); ++k) {
        const std::int64_t taken = trips * joins[k] / branches[k]->push() * branches[k]->pop;
        const std::int64_t factor = splits[k] / std::gcd(taken, splits[k]);
        trips *= factor;
        total += splits[k];
        if (trips > kMostRows) return std::nullopt;
    }
    if (trips * rows > kMostRows) return std::nullopt;

    Combined whole{{branches[0]->type, 0, 0, {}}, {}};
    std::vector<Share> shares;
    std::int64_t before = 0;
    for (std::size_t k = 0; k < branches.size(); ++k) {
        const Form& branch = *branches[k];
        const std::int64_t firings = trips * joins[k] / branch.push();
        std::int64_t pop = firings * branch.pop;
        if (!splits.empty()) {
            pop = pop / splits[k] * total;
            shares.push_back({splits[k], before, total});
            before += splits[k];
        }
        if (k > 0 && pop != whole.form.pop) return std::nullopt;  // it has no balance
        whole.form.pop = pop;
        whole.firings.push_back(firings);
    }
    if (whole.form.pop > kMostItems) return std::nullopt;
    std::int64_t terms = 0;
    for (std::int64_t iteration = 0; iteration < trips; ++iteration) {
        std::int64_t need = 0;  // the joiner waits for all of them
        for (std::size_t k = 0; k < branches.size(); ++k)
            for (std::int64_t i = 0; i < joins[k]; ++i) {
                whole.form.rows.push_back(moved(domainOf(whole.form.type),
                                                item(*branches[k], iteration * joins[k] + i),
                                                splits.empty() ? nullptr : &shares[k]));
                terms += static_cast<std::int64_t>(whole.form.rows.back().terms.size());
                if (terms > kMostTerms) return std::nullopt;
            }
        for (std::size_t k = 0; k < branches.size(); ++k) {
            const std::int64_t own = branches[k]->need((iteration + 1) * joins[k]);
            need = std::max(need, splits.empty() ? own : tripsFor(own, splits[k]) * total);
        }
        whole.form.needs.resize(whole.form.rows.size(), need);
    }
    whole.form.peek = whole.form.needs.back();
    if (whole.form.peek > kMostItems) return std::nullopt;
    return whole;
}

}  // namespace strc::linear
