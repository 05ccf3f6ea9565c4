// How many firings of a kernel a vector takes.

#include "codegen/detail/module_builder.h"
#include "vector/widths.h"

namespace strc::codegen {

std::vector<unsigned> vectorWidths(const elab::Kernel& kernel, const ir::Body& body,
                                   const ir::Varying& varying) {
    vector::FiringFacts facts;
    facts.input = kernel.input;
    facts.output = kernel.output;
    facts.rates = kernel.work;
    return vector::widthsOf(facts, body, varying);
}

unsigned bestWidth(const std::vector<unsigned>& widths, std::int64_t firings) {
    return vector::bestWidth(widths, firings);
}

}  // namespace strc::codegen
