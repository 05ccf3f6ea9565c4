#include "linear/detail/form.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "base/assert.h"

namespace strc::linear {
namespace {

constexpr std::size_t kShownRows = 8;
constexpr std::size_t kShownTerms = 12;

double wrapped(std::int64_t value) {
    return static_cast<double>(static_cast<std::int32_t>(static_cast<std::uint32_t>(value)));
}

std::string text(Number number) {
    if (number.im == 0) return fmt::format("{:.6g}", number.re);
    return fmt::format("({:.6g}{:+.6g}i)", number.re, number.im);
}

std::string text(const Affine& row) {
    std::string line;
    auto append = [&](Number factor, const std::string& item) {
        const bool isNegative = factor.im == 0 && factor.re < 0;
        if (isNegative) factor.re = -factor.re;
        line += line.empty() ? (isNegative ? "-" : "") : (isNegative ? " - " : " + ");
        const bool isOne = factor == Number{1, 0} && !item.empty();
        if (!isOne) line += text(factor);
        if (!isOne && !item.empty()) line += '*';
        line += item;
    };
    for (const Term& term : row.terms) {
        if (&term == row.terms.data() + kShownTerms) return line + " + …";
        append(term.factor, fmt::format("x{}", term.item));
    }
    if (!row.constant.isZero() || line.empty()) append(row.constant, "");
    return line;
}

}  // namespace

Domain domainOf(const Type* type) {
    switch (type->kind) {
        case types::TypeKind::Int: return Domain::Int;
        case types::TypeKind::Float:
        case types::TypeKind::Double: return Domain::Real;
        case types::TypeKind::Complex: return Domain::Complex;
        default: STRC_UNREACHABLE("a type without sums");
    }
}

Number add(Domain domain, Number a, Number b) {
    if (domain == Domain::Int)
        return {wrapped(static_cast<std::int64_t>(a.re) + static_cast<std::int64_t>(b.re)), 0};
    return {a.re + b.re, a.im + b.im};
}

Number multiply(Domain domain, Number a, Number b) {
    switch (domain) {
        case Domain::Int:
            return {wrapped(static_cast<std::int64_t>(a.re) * static_cast<std::int64_t>(b.re)), 0};
        case Domain::Real: return {a.re * b.re, 0};
        case Domain::Complex: break;
    }
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

void addTo(Domain domain, Affine& to, const Affine& what, Number factor, std::int64_t shift) {
    to.constant = add(domain, to.constant, multiply(domain, what.constant, factor));
    if (factor.isZero() || what.terms.empty()) return;
    std::vector<Term> sum;
    std::vector<Term>& terms = to.terms;
    const std::int64_t begin = what.terms.front().item + shift;
    // Terms before `begin` keep their places, so adding a row further on does not copy the sum.
    auto middle =
        std::lower_bound(terms.begin(), terms.end(), begin,
                         [](const Term& term, std::int64_t item) { return term.item < item; });
    auto old = middle;
    auto append = [&](std::int64_t item, Number number) {
        if (!number.isZero()) sum.push_back({item, number});
    };
    for (const Term& term : what.terms) {
        const std::int64_t item = term.item + shift;
        for (; old != terms.end() && old->item < item; ++old) sum.push_back(*old);
        Number number = multiply(domain, term.factor, factor);
        if (old != terms.end() && old->item == item) number = add(domain, number, old++->factor);
        append(item, number);
    }
    sum.insert(sum.end(), old, terms.end());
    terms.erase(middle, terms.end());
    terms.insert(terms.end(), sum.begin(), sum.end());
}

void dropNoise(const Type* type, Affine& row) {
    if (type->is(types::TypeKind::Int)) return;
    const double share = type->is(types::TypeKind::Double) ? 0x1p-51 : 0x1p-22;
    auto size = [](Number number) { return std::hypot(number.re, number.im); };
    std::vector<double> sizes;
    for (const Term& term : row.terms) sizes.push_back(size(term.factor));
    std::sort(sizes.begin(), sizes.end());
    double rest = share * std::accumulate(sizes.begin(), sizes.end(), 0.0);
    auto smallest = sizes.begin();
    while (smallest != sizes.end() && *smallest <= rest) rest -= *smallest++;
    if (smallest == sizes.begin()) return;
    const double least = smallest == sizes.end() ? 0 : *smallest;
    std::erase_if(row.terms, [&](const Term& term) { return size(term.factor) < least; });
}

std::int64_t Form::need(std::int64_t items) const {
    const std::int64_t last = items - 1;
    const std::int64_t own = needs.empty() ? peek : needs[static_cast<std::size_t>(last % push())];
    return last / push() * pop + own;
}

std::int64_t Form::terms() const {
    std::int64_t sum = 0;
    for (const Affine& row : rows) sum += static_cast<std::int64_t>(row.terms.size());
    return sum;
}

std::string print(const Form& form) {
    std::string lines = fmt::format("pop {} peek {} push {}, {} terms\n", form.pop, form.peek,
                                    form.push(), form.terms());
    for (std::size_t k = 0; k < std::min(form.rows.size(), kShownRows); ++k)
        lines += "  " + text(form.rows[k]) + "\n";
    if (form.rows.size() > kShownRows) lines += "  …\n";
    return lines;
}

}  // namespace strc::linear
