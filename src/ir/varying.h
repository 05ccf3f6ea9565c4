#pragma once
/// Which values of a firing differ between neighbouring firings. A filter without state can do several
/// firings at once, one in each lane of a vector (SIMD across firings: Hormati et al., "MacroSS",
/// ASPLOS 2010, section 3.1): what is `varying` becomes a vector, the rest stays as it is.
/// In: a specialised work body. Out: the facts, or why it cannot be done.

#include <string>
#include <vector>

#include "ir/ir.h"

namespace strc::ir {

struct Varying {
    std::string whyNot;  ///< one sentence; empty: it can be done
    std::vector<bool> regs;  ///< varying; of a ref: lanes look at different places
    std::vector<bool> locals;  ///< of which each lane has its own
    /// By register that is a ref: the local it leads into; kNone: memory that all lanes share.
    std::vector<std::uint32_t> roots;
};

/// An If whose condition varies is done for the lanes it holds for; a loop goes on for all of them or none.
Varying findVarying(const Body& work);
/// The same if each lane has its own of these locals from the start.
Varying findVarying(const Body& work, const std::vector<std::uint32_t>& own);

/// The size in bytes of the widest register that varies, at least 4.
std::int64_t widestVarying(const Body&, const Varying&);

/// "varying: %3 %4 x", registers and locals; or "none: " and why not.
std::string print(const Body&, const Varying&);

}  // namespace strc::ir
