#pragma once
/// What has to hold of a program between two passes.

#include <string>
#include <vector>

#include "ir/ir.h"
#include "pass/program.h"

namespace strc::pass {

/// One sentence for each fault: bodies of nodes that are not well formed (ir/verify.h), edges and ports that do not know each other,
/// nodes without kernel, state or quota, edges on which a steady state leaves more or fewer items. Empty: well formed.
std::vector<std::string> verify(const ir::Module&, const Program&);

}  // namespace strc::pass
