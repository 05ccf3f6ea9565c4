#pragma once
/// What the library of files reports, as failures.

#include <optional>

#include "base/result.h"
#include "strc/files/faults.h"

namespace strc::io {

/// Keeps the first fault that is reported until it is taken.
class Faults : private strc_reporter {
public:
    Faults();
    Faults(const Faults&) = delete;
    Faults& operator=(const Faults&) = delete;

    /// For what reports here.
    strc_origin origin() const { return {0, 0, this}; }
    std::optional<base::Failure> take();

private:
    static int keep(const strc_reporter* self, strc_text place, strc_text instance, strc_message_id,
                    const char* const* arguments);

    static void addHint(const strc_reporter* self, const char* text);

    mutable std::optional<base::Failure> first;
};

}  // namespace strc::io
