#pragma once
/// Parameters that somebody turns.

#include <string>

namespace strc::controls {

struct Change {
    std::string parameter;
    double value = 0;

    bool operator==(const Change&) const = default;
};

/// As programs read it from standard input: "cutoff=800".
std::string textOf(const Change&);

}  // namespace strc::controls
