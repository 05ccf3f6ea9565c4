#pragma once
/// Attempts that may fail without being a fault of the program.

#include <utility>

#include "base/diagnostics.h"

namespace strc::base {

/// While it lives there are no diagnostics but those of the attempt; at its end these are forgotten and the others are
/// there again. References to them stay valid.
class Quiet {
public:
    explicit Quiet(Diagnostics& of) : diags(of) { std::swap(diags, others); }
    ~Quiet() { std::swap(diags, others); }
    Quiet(const Quiet&) = delete;
    Quiet& operator=(const Quiet&) = delete;

private:
    Diagnostics& diags;
    Diagnostics others;
};

}  // namespace strc::base
