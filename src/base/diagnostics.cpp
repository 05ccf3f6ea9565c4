#include "base/diagnostics.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/assert.h"

namespace strc::base {

namespace {

constexpr std::size_t kDiagCount = static_cast<std::size_t>(Diag::Count);
constexpr std::string_view kOffByDefault = "lint";
constexpr std::size_t kVariantsShown = 3;

constexpr std::array<DiagInfo, kDiagCount> kDiagnostics = {{
#define DIAG(area, Id, severity, name, text) {#area, #Id, Severity::severity, name, text},
#include "base/diagnostics.def"
#undef DIAG
}};

constexpr bool namesAreUnique() {
    for (std::size_t i = 0; i < kDiagCount; ++i)
        for (std::size_t j = i + 1; j < kDiagCount; ++j)
            if (kDiagnostics[i].name == kDiagnostics[j].name) return false;
    return true;
}
static_assert(namesAreUnique(), "two diagnostics of one public name");

bool isWarning(Diag id) { return info(id).severity == Severity::Warning; }

}  // namespace

const DiagInfo& info(Diag id) {
    STRC_ASSERT(id < Diag::Count, "no such diagnostic");
    return kDiagnostics[static_cast<std::size_t>(id)];
}

Diag findDiag(std::string_view name) {
    auto row = std::find_if(kDiagnostics.begin(), kDiagnostics.end(),
                            [&](const DiagInfo& each) { return each.name == name; });
    return static_cast<Diag>(row - kDiagnostics.begin());
}

std::string message(Diag id, const std::vector<std::string>& args) {
    std::string result;
    std::string_view text = info(id).text;
    std::size_t next = 0;
    while (true) {
        std::size_t hole = text.find('{');
        result += text.substr(0, hole);
        if (hole == std::string_view::npos) break;
        std::size_t end = text.find('}');
        if (text.substr(hole, end - hole) == "{s") {
            result += next > 0 && next <= args.size() && args[next - 1] == "1" ? "" : "s";
        } else {
            if (next < args.size()) result += args[next];
            ++next;
        }
        text.remove_prefix(end + 1);
    }
#ifdef STRC_CHECKED
    if (next != args.size()) {
        std::string fault = "wrong number of arguments for diagnostic ";
        STRC_UNREACHABLE(fault += info(id).name);
    }
#endif
    return result;
}

// ---------------------------------------------------------------- one diagnostic

Diagnostic& Diagnostic::operator<<(std::string_view arg) {
    (notes.empty() ? args : notes.back().args).emplace_back(arg);
    return *this;
}

Diagnostic& Diagnostic::operator<<(std::int64_t arg) {
    return *this << std::string_view(std::to_string(arg));
}

Diagnostic& Diagnostic::note(Diag noteId, SourceRange where) {
    notes.push_back({noteId, where, {}});
    return *this;
}

Diagnostic& Diagnostic::fix(SourceRange where, std::string replacement) {
    fixes.push_back({where, std::move(replacement)});
    return *this;
}

Diagnostic& Diagnostic::in(std::string path) {
    instance = std::move(path);
    return *this;
}

// ---------------------------------------------------------------- all of them

Diagnostic& Diagnostics::insert(Diag id, Severity severity, bool shown, SourceRange range) {
    auto& to = shown ? list : dropped;
    Diagnostic& made = to.emplace_back();
    made.id = id;
    made.severity = severity;
    made.range = range;
    return made;
}

Diagnostic& Diagnostics::add(Diag id, SourceRange range) {
    Severity severity = info(id).severity;
    if (severity == Severity::Warning && (warningsAreErrors || asErrors.contains(id)))
        severity = Severity::Error;
    return insert(id, severity, isEnabled(id), range);
}

Diagnostic& Diagnostics::addAsWarning(Diag error, SourceRange range) {
    return insert(error, warningsAreErrors ? Severity::Error : Severity::Warning, !noWarnings,
                  range);
}

void Diagnostics::lower(const std::function<bool(const Diagnostic&)>& isHarmless) {
    if (warningsAreErrors) return;
    for (Diagnostic& each : list)
        if (each.severity == Severity::Error && isHarmless(each)) each.severity = Severity::Warning;
    if (noWarnings)
        std::erase_if(list,
                      [](const Diagnostic& each) { return each.severity == Severity::Warning; });
}

bool Diagnostics::hasErrors() const { return errorCount() > 0; }

std::size_t Diagnostics::errorCount() const {
    auto isError = [](const Diagnostic& each) {
        return each.severity == Severity::Error && !isWarning(each.id);
    };
    return static_cast<std::size_t>(std::count_if(list.begin(), list.end(), isError));
}

void Diagnostics::clear() {
    list.clear();
    dropped.clear();
}

// ---------------------------------------------------------------- which warnings

bool Diagnostics::isEnabled(Diag id) const {
    if (!isWarning(id)) return true;
    if (noWarnings || disabled.contains(id)) return false;
    return info(id).area != kOffByDefault || enabled.contains(id);
}

bool Diagnostics::setWarning(std::string_view name, bool on) {
    if (name == "all") {
        for (const DiagInfo& row : kDiagnostics)
            if (row.severity == Severity::Warning) setWarning(row.name, on);
        return true;
    }
    Diag id = findDiag(name);
    if (id == Diag::Count || !isWarning(id)) return false;
    (on ? enabled : disabled).insert(id);
    (on ? disabled : enabled).erase(id);
    return true;
}

bool Diagnostics::setWarningAsError(std::string_view name) {
    if (name == "all") {
        allWarningsAsErrors();
        return true;
    }
    if (!setWarning(name, true)) return false;
    asErrors.insert(findDiag(name));
    return true;
}

// ---------------------------------------------------------------- one fault, many instances

namespace {

/// The same fault with the same arguments: where it was seen first, and how often.
struct Variant {
    const Diagnostic* first;
    unsigned instances = 0;
    std::set<std::string_view> paths;
};

/// What becomes one message: variants in the order they came up.
struct Group {
    std::vector<Variant> variants;
    std::map<std::vector<std::string>, std::size_t> byArgs;
};

/// Only what instances say about one place is gathered whatever the arguments.
auto groupKey(const Diagnostic& diag) {
    bool anyArgs = diag.range.valid() && !diag.instance.empty();
    return std::tuple(diag.id, diag.range.buffer.index, diag.range.begin, diag.range.end, anyArgs,
                      anyArgs ? std::vector<std::string>() : diag.args);
}

void count(Group& group, const Diagnostic& diag) {
    auto [known, isNew] = group.byArgs.emplace(diag.args, group.variants.size());
    if (isNew) group.variants.push_back({&diag, 0, {}});
    Variant& variant = group.variants[known->second];
    if (variant.paths.insert(diag.instance).second) variant.instances += diag.instances;
}

void addVariant(Diagnostic& to, const Variant& variant) {
    const Diagnostic& other = *variant.first;
    if (variant.instances > 1)
        to.note(Diag::AlsoInInstances, other.range) << std::int64_t(variant.instances);
    else
        to.note(Diag::AlsoInInstance, other.range);
    to << other.instance << message(other.id, other.args);
}

Diagnostic summary(const Group& group) {
    Diagnostic result = *group.variants.front().first;
    result.instances = group.variants.front().instances;
    unsigned unseen = 0;
    for (std::size_t i = 1; i < group.variants.size(); ++i) {
        if (i <= kVariantsShown)
            addVariant(result, group.variants[i]);
        else
            unseen += group.variants[i].instances;
    }
    if (unseen) result.note(Diag::MoreInstances) << std::int64_t(unseen);
    return result;
}

}  // namespace

void Diagnostics::sortByPlace(std::size_t count) {
    const auto first = list.begin() + static_cast<std::ptrdiff_t>(std::min(count, list.size()));
    std::stable_sort(first, list.end(), [](const Diagnostic& a, const Diagnostic& b) {
        return std::pair(a.range.buffer.index, a.range.begin) <
               std::pair(b.range.buffer.index, b.range.begin);
    });
}

void Diagnostics::merge() {
    std::vector<Group> groups;
    std::map<decltype(groupKey(list.front())), std::size_t> known;
    for (const Diagnostic& diag : list) {
        auto [at, isNew] = known.emplace(groupKey(diag), groups.size());
        if (isNew) groups.emplace_back();
        count(groups[at->second], diag);
    }
    std::deque<Diagnostic> merged;
    for (const Group& group : groups) merged.push_back(summary(group));
    list = std::move(merged);
    dropped.clear();
}

}  // namespace strc::base
