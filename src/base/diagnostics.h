#pragma once
/// What is wrong with a program, as data. Wording, severity and public name of each diagnostic
/// stand in diagnostics.def and nowhere else; rendering is render.h's business.
///
///     diags.add(Diag::UnknownStream, range) << name;
///     diags.add(Diag::DuplicateField, range).note(Diag::DeclaredHere, first) << name;

#include <cstdint>
#include <deque>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/names.h"
#include "base/source.h"

namespace strc::base {

enum class Severity : std::uint8_t { Note, Warning, Error };

enum class Diag : std::uint16_t {
#define DIAG(area, Id, severity, name, text) Id,
#include "base/diagnostics.def"
#undef DIAG
    Count
};

/// One row of the table. Warnings of area "lint" are off unless asked for by name.
struct DiagInfo {
    std::string_view area;
    std::string_view id;
    Severity severity;
    std::string_view name;  ///< kebab-case: the public identity, for -W and `strc explain`
    std::string_view text;  ///< "{what}": the next argument; "{s}": s unless it was 1
};

const DiagInfo& info(Diag id);
/// The entry with this public name, or Diag::Count.
Diag findDiag(std::string_view name);

/// A certain mend: replace the text of `range` (empty range: insert).
struct Fix {
    SourceRange range;
    std::string replacement;
};

struct DiagNote {
    Diag id;
    SourceRange range;  ///< may be invalid: a note without a place
    std::vector<std::string> args;
};

struct Diagnostic {
    Diag id;
    Severity severity;
    SourceRange range;  ///< may be invalid: a fault without a place of its own
    std::vector<std::string> args;
    std::vector<DiagNote> notes;
    std::vector<Fix> fixes;
    std::string instance;  ///< path of the stream instance ("Main.bank[3].fir"), or empty
    unsigned instances = 1;  ///< in how many instances the same fault was found

    /// Arguments go to the last note once there is one.
    Diagnostic& operator<<(std::string_view arg);
    Diagnostic& operator<<(std::int64_t arg);
    Diagnostic& operator<<(Name arg) { return *this << arg.text(); }
    Diagnostic& note(Diag id, SourceRange where = {});
    Diagnostic& fix(SourceRange where, std::string replacement);
    Diagnostic& in(std::string path);
};

/// The text with its arguments put in. A checked build insists on their number.
std::string message(Diag id, const std::vector<std::string>& args);

class Diagnostics {
public:
    /// Reports; the reference stays valid. The same fault at the same place in another instance is
    /// counted by `merge` (see there), not here.
    Diagnostic& add(Diag id, SourceRange range = {});
    /// An error that --lenient lowers to a warning: -w and -Werror apply to it.
    Diagnostic& addAsWarning(Diag error, SourceRange range = {});

    /// Errors that prove harmless become warnings, as with `addAsWarning`.
    void lower(const std::function<bool(const Diagnostic&)>& isHarmless);

    bool hasErrors() const;  ///< a warning that counts as an error stops nobody from going on
    std::size_t errorCount() const;
    const std::deque<Diagnostic>& all() const { return list; }
    void clear();

    /// One fault (id and range) in many instances becomes one message: the first one stays where it
    /// was, with the number of instances that have its arguments; those with other arguments become
    /// notes of it, at most three. Elsewhere only exact repetitions go.
    /// References to diagnostics end here.
    void merge();

    /// Puts what was added after the first `count` messages into the order of the text: faults of
    /// characters, of syntax and of its meaning are found one kind after the other. References to
    /// those diagnostics end here.
    void sortByPlace(std::size_t count);

    /// -Wname / -Wno-name / -Werror / -Werror=name / -w; "all" names every warning. False: no such
    /// warning.
    bool setWarning(std::string_view name, bool enabled);
    bool setWarningAsError(std::string_view name);
    void allWarningsAsErrors() { warningsAreErrors = true; }
    void silenceWarnings() { noWarnings = true; }
    bool isEnabled(Diag id) const;

private:
    Diagnostic& insert(Diag id, Severity severity, bool shown, SourceRange range);

    std::deque<Diagnostic> list;
    std::deque<Diagnostic> dropped;  ///< silenced ones: callers still hold references
    std::set<Diag> disabled;
    std::set<Diag> enabled;  ///< those that are off unless asked for
    std::set<Diag> asErrors;
    bool warningsAreErrors = false;
    bool noWarnings = false;
};

}  // namespace strc::base
