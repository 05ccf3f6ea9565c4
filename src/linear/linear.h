#pragma once
/// The passes `linear-combination` and `frequency`. The first: neighbouring linear filters, with the splitters and joiners between them, become
/// one filter where that saves work; the second: frequency.h (docs/design/linear.md). In: an elaborated, balanced program. Out: the
/// same program with fewer nodes, for code generation; none if nothing changes.

#include <optional>

#include "base/context.h"
#include "elab/replace.h"

namespace strc::linear {

struct Options {
    /// Sums of float, double and complex items may be rounded otherwise.
    bool floats = false;
};

/// Steady states and what the initialisation does to all other nodes stay as they are. Programs with
/// messages, dynamic rates or a visible order of firings are left alone.
std::optional<elab::Improved> improve(base::Context&, const ir::Module&, types::TypeTable&,
                                      const elab::Elaboration&, const graph::Quota&,
                                      const Options&);

}  // namespace strc::linear
