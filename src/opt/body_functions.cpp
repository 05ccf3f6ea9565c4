#include "opt/detail/body_functions.h"

#include <algorithm>

#include "ir/calls.h"
#include "ir/inline.h"
#include "ir/scalarise.h"
#include "ir/specialize.h"
#include "ir/tabulate.h"

namespace strc::opt {

bool callsFunctions(const elab::Kernel& kernel) {
    return !ir::calleesOf(*kernel.code.work).empty();
}

bool inlineCalls(const pass::Context& context, elab::Kernel& kernel) {
    return ir::inlineCalls(context.module, kernel.code, *kernel.code.work) != 0;
}

/// Filters that stand for several branches are left alone: which of their values differ between these is known already.
bool computesFunctions(const elab::Kernel& kernel) {
    if (ir::hasVectors(*kernel.code.work)) return false;
    const std::vector<ir::Block>& blocks = kernel.code.work->blocks;
    return std::any_of(blocks.begin(), blocks.end(), [](const ir::Block& block) {
        return std::any_of(block.instrs.begin(), block.instrs.end(),
                           [](const ir::Instr& instr) { return instr.op == ir::Op::Math; });
    });
}

bool tabulateFunctions(const pass::Context& context, elab::Kernel& kernel) {
    return ir::tabulate(*kernel.code.work, context.types) != 0;
}

bool foldConstants(const pass::Context& /*context*/, elab::Kernel& kernel) {
    for (std::optional<ir::Body>* body : {&kernel.code.prework, &kernel.code.work})
        if (*body) ir::fold(**body);
    for (ir::Body& function : kernel.code.functions) ir::fold(function);
    return true;
}

}  // namespace strc::opt
