#pragma once
/// Diagnostics on standard error, and the exit status that follows from them.

#include "base/context.h"
#include "driver/driver.h"
#include "driver/options.h"

namespace strc::driver {

class Reporter {
public:
    explicit Reporter(const World& process) : world(process) {}
    void setOptions(const ReportOptions& wanted) { options = wanted; }

    /// Shows everything that was reported since the last time; merges what many instances share.
    void show(base::Diagnostics&, const base::SourceManager&, std::uint32_t mostErrors);
    void show(base::Context& context) {
        show(context.diags, context.sources, context.limits.errors);
    }

    bool hasErrors() const { return callFaults || otherFaults; }
    /// kFine, kWrongCall if only the call was wrong, else kProgramFault.
    ExitStatus status() const;

private:
    const World& world;
    ReportOptions options;
    bool callFaults = false;
    bool otherFaults = false;
};

}  // namespace strc::driver
