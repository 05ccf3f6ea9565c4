#include "opt/detail/body_functions.h"

#include "ir/calls.h"
#include "ir/inline.h"
#include "ir/specialize.h"

namespace strc::opt {

bool callsFunctions(const elab::Kernel& kernel) {
    return !ir::calleesOf(*kernel.code.work).empty();
}

bool inlineCalls(const pass::Context& context, elab::Kernel& kernel) {
    return ir::inlineCalls(context.module, kernel.code, *kernel.code.work) != 0;
}

bool foldConstants(const pass::Context& /*context*/, elab::Kernel& kernel) {
    for (std::optional<ir::Body>* body : {&kernel.code.prework, &kernel.code.work})
        if (*body) ir::fold(**body);
    for (ir::Body& function : kernel.code.functions) ir::fold(function);
    return true;
}

}  // namespace strc::opt
