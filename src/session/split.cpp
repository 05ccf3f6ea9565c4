#include "session/detail/split.h"

#include <algorithm>

#include <fmt/format.h>

#include "elab/replace.h"
#include "ir/contraction.h"
#include "session/products.h"

namespace strc::session {
namespace {

bool hasParts(const ir::Contraction& how) { return how.parts.has_value(); }

bool splitsAny(const Compilation& program) {
    const elab::Elaboration& planned =
        program.before ? *program.before->program : program.plannedProgram();
    const std::vector<elab::Kernel>& kernels = planned.kernels;
    return std::any_of(kernels.begin(), kernels.end(), [](const elab::Kernel& kernel) {
        return kernel.code.work && ir::contracts(*kernel.code.work, hasParts);
    });
}

}  // namespace

void checkSplit(Compilation& program, const Settings& settings) {
    if (!settings.split) return;
    const auto [dim, places] = *settings.split;
    if (dim == types::TensorSplit::kAuto) return;  // nobody has asked for parts
    const bool areSums = dim == types::TensorSplit::kSums;
    const std::string what = areSums ? "its sums"
                             : dim == types::TensorSplit::kPairs
                                 ? "the columns of its result"
                                 : fmt::format("dimension {} of its result", dim);
    const auto hint = [&](const std::string& why) {
        program.context.diags.add(base::Diag::Hint, mainHeader(program))
            << fmt::format("'--split {}' splits nothing: {}", splitName(*settings.split), why);
    };
    if (settings.isShared) return hint("a library has no threads of its own");
    if (!elab::mayReplace(program.elaboration)) return hint(kKeptWhole);
    if (!splitsAny(program))
        hint(
            fmt::format("no large product or convolution of tensors has more than {} place{} in {}",
                        places, places == 1 ? "" : "s", what));
}

}  // namespace strc::session
