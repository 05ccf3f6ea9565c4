#include "base/spelling.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace strc::base {

namespace {

constexpr std::size_t kEdit = 2;
constexpr std::size_t kCase = 1;
constexpr std::size_t kLongestWord = 64;  ///< the cost is quadratic; nobody mistypes longer ones

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

bool equalsButForCase(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return lower(x) == lower(y); });
}

std::size_t replaceCost(char a, char b) {
    if (a == b) return 0;
    return lower(a) == lower(b) ? kCase : kEdit;
}

}  // namespace

std::size_t spellingDistance(std::string_view a, std::string_view b, std::size_t limit) {
    if (a.size() > kLongestWord || b.size() > kLongestWord) return a == b ? 0 : limit;
    std::size_t lengths = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
    if (lengths * kEdit >= limit) return limit;
    std::vector<std::size_t> before, above(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j * kEdit;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i * kEdit;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({above[j] + kEdit, row[j - 1] + kEdit,
                               above[j - 1] + replaceCost(a[i - 1], b[j - 1])});
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) row[j] = std::min(row[j], before[j - 2] + kEdit);
        }
        before = above;
        above = row;
    }
    return std::min(above[b.size()], limit);
}

/// About one mistake in three characters is allowed, and always one; but a single character that
/// differs altogether is no hint.
SpellingSearch::SpellingSearch(std::string_view text)
    : wanted(text), distance(std::max<std::size_t>(1, (text.size() + 1) / 3) * kEdit + 1) {
    if (text.size() < 2) distance = kEdit;
}

void SpellingSearch::consider(std::string_view candidate) {
    if (candidate.empty() || candidate == wanted) return;
    std::size_t cost = equalsButForCase(wanted, candidate)
                           ? kCase
                           : spellingDistance(wanted, candidate, distance + 1);
    if (cost > distance || (cost == distance && (found.empty() || candidate >= found))) return;
    found = candidate;
    distance = cost;
}

}  // namespace strc::base
