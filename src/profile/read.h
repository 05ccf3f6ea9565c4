#pragma once
/// What filters take, from a profile that a run has written (--profile=FILE, docs/profiling.md). The file may be anything.

#include <map>
#include <string>

#include "base/result.h"

namespace strc::profile {

struct Measured {
    std::string program;  ///< the main stream
    std::map<std::string, double>
        firings;  ///< ns that one takes, by path of the filter; only of those that fired
};

/// A CannotOpenFile, CannotReadFile or MalformedInput failure.
base::Result<Measured> readProfile(const std::string& file);

}  // namespace strc::profile
