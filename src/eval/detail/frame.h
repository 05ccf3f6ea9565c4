#pragma once
/// Lays out the frame of a function: where the variables of its body lie.

#include <vector>

#include "eval/detail/code.h"

namespace strc::eval {

class Frame {
public:
    struct Local {
        std::uint32_t slot = 0;  ///< scalar, ref of a parameter, or a descriptor
        std::int64_t offset = -1;  ///< aggregate in the frame: bytes from its begin
        std::uint32_t extents = 0;  ///< slots with the extents, if they are dynamic
    };

    /// Says of the function where its parameters end and how large its arrays are.
    Frame(const ir::Body&, Function&);

    const Local& operator[](std::size_t local) const { return locals[local]; }
    std::size_t size() const { return locals.size(); }
    /// The first slot behind the variables.
    std::uint32_t end() const { return behind; }
    /// Has a variable whose extents only the run knows?
    bool hasDynamic() const { return dynamic; }

private:
    std::vector<Local> locals;
    std::uint32_t behind = 0;
    bool dynamic = false;
};

}  // namespace strc::eval
