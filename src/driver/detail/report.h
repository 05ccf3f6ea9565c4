#pragma once
/// Diagnostics on standard error, and the exit status that follows from them.

#include <cstddef>

#include "base/diagnostics.h"
#include "driver/detail/options.h"
#include "driver/driver.h"
#include "strc/strc.h"

namespace strc::driver {

/// How much of what a compiler found has been shown.
struct Seen {
    std::size_t diagnostics = 0;
    std::size_t errors = 0;
};

class Reporter {
public:
    explicit Reporter(const Process& process) : process(process) {}
    void setOptions(const ReportOptions& wanted) { options = wanted; }
    bool hasColour() const;

    /// Shows everything that was reported since the last time, up to so many errors as anybody reads.
    void show(strc_compiler*, Seen&);
    /// The same for faults of the call, which have no places.
    void show(base::Diagnostics&);

    bool hasErrors() const { return callFaults || otherFaults; }
    /// kFine, kWrongCall if only the call was wrong, else kProgramFault.
    ExitStatus status() const;

private:
    void render(const base::Diagnostic&);

    const Process& process;
    ReportOptions options;
    bool callFaults = false;
    bool otherFaults = false;
};

}  // namespace strc::driver
