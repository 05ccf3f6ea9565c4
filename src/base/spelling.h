#pragma once
/// "Did you mean …?": the known name that is closest to a mistyped one.

#include <cstddef>
#include <string>
#include <string_view>

namespace strc::base {

/// Feed it every candidate, in any order: ties go to the alphabetically first, so the order cannot
/// be seen in the answer. A name that differs in case alone is closer than any other. Candidates must outlive it.
///
///     SpellingSearch search("Fliter");
///     for (Name name : streams) search.consider(name.text());
///     if (!search.best().empty()) diag.note(Diag::DidYouMean) << search.best();
class SpellingSearch {
public:
    explicit SpellingSearch(std::string_view wanted);
    void consider(std::string_view candidate);
    /// Empty if nothing was similar enough to be worth saying.
    std::string_view best() const { return found; }
    bool differsInCaseAlone() const { return !found.empty() && distance <= 1; }

private:
    std::string wanted;
    std::string_view found;
    std::size_t
        distance;  ///< of `found`, 1 where only the case differs; before: the first that is too far
};

/// Edit distance where inserting, removing or replacing a character or swapping two neighbours
/// costs 2, and changing the case 1; or `limit` when it is not below it.
std::size_t spellingDistance(std::string_view a, std::string_view b, std::size_t limit);

}  // namespace strc::base
