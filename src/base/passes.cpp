#include "base/passes.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/pass.h"

namespace strc::base {
namespace {

constexpr std::size_t kCount = static_cast<std::size_t>(Pass::Count);

constexpr std::array<PassInfo, kCount> kPasses = {{
#define STRC_PASS(Id, kind, level, product, function, name, what) \
    {Pass::Id, PassKind::kind, PassProduct::product, name, what},
#include "base/passes.def"
#undef STRC_PASS
}};

constexpr std::array<PassLevel, kCount> kLevels = {{
#define STRC_PASS(Id, kind, level, product, function, name, what) PassLevel::level,
#include "base/passes.def"
#undef STRC_PASS
}};

struct FormerName {
    std::string_view former, current;
};
constexpr FormerName kFormerNames[] = {
#define STRC_FORMER_PASS(former, current) {former, current},
#include "base/former_passes.def"
#undef STRC_FORMER_PASS
};

/// Of all time: less is not worth a line of its own.
constexpr double kLeastShare = 0.005;

}  // namespace

const PassInfo& info(Pass pass) {
    STRC_ASSERT(pass < Pass::Count, "no such pass");
    return kPasses[static_cast<std::size_t>(pass)];
}

PassLevel levelOf(Pass pass) { return kLevels[static_cast<std::size_t>(pass)]; }

std::string_view currentPassName(std::string_view name) {
    for (const FormerName& row : kFormerNames)
        if (row.former == name) return row.current;
    return name;
}

std::optional<Pass> findPass(std::string_view name) {
    const std::string_view current = currentPassName(name);
    for (const PassInfo& row : kPasses)
        if (row.name == current) return row.id;
    return std::nullopt;
}

std::string passNames(const std::function<bool(const PassInfo&)>& wanted) {
    std::vector<std::string_view> names;
    for (const PassInfo& row : kPasses)
        if (wanted(row)) names.push_back(row.name);
    std::string list;
    for (std::size_t k = 0; k < names.size(); ++k) {
        if (k > 0) list += k + 1 == names.size() ? " or " : ", ";
        list += names[k];
    }
    return list;
}

void Passes::bisect(std::int64_t limit, std::function<void(std::string_view)> say) {
    last = limit;
    tell = std::move(say);
}

bool Passes::countApplication(std::string_view pass, std::string_view subject) {
    if (!tell) return true;
    const bool runs = last < 0 || applications < last;
    tell(fmt::format("BISECT: {}running pass ({}) {} on {}\n", runs ? "" : "NOT ", ++applications,
                     pass, subject));
    return runs;
}

// ---------------------------------------------------------------- times

void Passes::takeTime() {
    const Clock::time_point now = Clock::now();
    if (rows.empty())
        rows.push_back({"sum", 0, 0, 1});
    else
        rows[current].seconds += std::chrono::duration<double>(now - since).count();
    since = now;
}

void Passes::begin(std::string_view what) {
    if (!measures) return;
    takeTime();
    std::size_t row = 1;
    while (row < rows.size() && (rows[row].parent != current || rows[row].name != what)) ++row;
    if (row == rows.size()) rows.push_back({std::string(what), current, 0, 0});
    ++rows[row].runs;
    current = row;
}

void Passes::end() {
    if (!measures) return;
    STRC_ASSERT(current != 0, "the end of a pass that has not begun");
    takeTime();
    current = rows[current].parent;
}

std::string Passes::times() const {
    if (rows.empty()) return {};
    std::vector<double> totals(rows.size());
    for (std::size_t k = rows.size(); k-- > 0;) {  // a row stands after its parent
        totals[k] += rows[k].seconds;
        if (k > 0) totals[rows[k].parent] += totals[k];
    }
    std::string text = "     self s    total s   share    runs  stage or pass\n";
    auto line = [&](double self, double total, std::int64_t runs, const std::string& name) {
        text += fmt::format("{:>11.6f}{:>11.6f}{:>7.1f}%{:>8}  {}\n", self, total,
                            totals[0] > 0 ? 100 * self / totals[0] : 0.0, runs, name);
    };
    std::function<void(std::size_t, const std::string&)> children = [&](std::size_t parent,
                                                                        const std::string& indent) {
        double small = 0;
        std::int64_t smallRuns = 0;
        for (std::size_t k = 1; k < rows.size(); ++k) {
            if (rows[k].parent != parent) continue;
            if (totals[k] < kLeastShare * totals[0] && !findPass(rows[k].name)) {
                small += totals[k];
                smallRuns += rows[k].runs;
                continue;
            }
            line(rows[k].seconds, totals[k], rows[k].runs, indent + rows[k].name);
            children(k, indent + "  ");
        }
        if (smallRuns > 0) line(small, small, smallRuns, indent + "others");
    };
    children(0, "");
    line(rows[0].seconds, rows[0].seconds, 1, "between stages");
    line(totals[0], totals[0], 1, "sum");
    return text;
}

}  // namespace strc::base
