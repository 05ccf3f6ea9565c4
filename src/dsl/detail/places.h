#pragma once
/// Where the nodes of a tree were written, as ranges of source buffers.

#include <string>
#include <vector>

#include "base/context.h"
#include "dsl/tree.h"

namespace strc::dsl {

class Places {
public:
    Places(base::Context&, const Tree&);

    /// The word at that place; what nobody knows the place of is where `around` is.
    base::SourceRange rangeOf(NodeNumber node, base::SourceRange around) const;
    base::BufferId first() const { return buffers.size() > 1 ? buffers[1] : buffers[0]; }

private:
    base::Context& context;
    const Tree& tree;
    std::vector<base::BufferId> buffers;  ///< by file
    std::vector<std::vector<std::uint32_t>> lines;  ///< by file: where they begin
};

}  // namespace strc::dsl
