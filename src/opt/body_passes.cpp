#include "opt/body_passes.h"

#include <algorithm>

#include "base/pass.h"
#include "ir/contraction.h"
#include "ir/text.h"
#include "opt/tensor_passes.h"
#include "tensor/expand.h"

namespace strc::opt {
namespace {

using base::Pass;
using elab::Kernel;

bool hasEpilogue(const ir::Contraction& how) { return how.hasEpilogue(); }
bool hasParts(const ir::Contraction& how) { return how.parts.has_value(); }

}  // namespace

/// Numbered only where it changes something.
template <typename Change>
bool BodyPasses::apply(Pass pass, Kernel& kernel, const std::string& path, Change change) {
    if (!context.passes.isEnabled(pass)) return false;
    const Kernel before = kernel;
    if (!change()) return false;
    base::PassRun run(context.passes, pass, path);
    if (!run) kernel = before;
    run.show([&] { return ir::print(*kernel.code.work); });
    return static_cast<bool>(run);
}

bool BodyPasses::improve(Kernel& kernel, const std::string& path) {
    bool changes = apply(Pass::TensorArithmetic, kernel, path,
                         [&] { return simplifyArithmetic(kernel, types); });
    changes |= apply(Pass::TensorCse, kernel, path, [&] { return shareSubexpressions(kernel); });
    changes |=
        apply(Pass::CoalesceParts, kernel, path, [&] { return coalesceParts(kernel, types); });
    if (!context.passes.isEnabled(Pass::FoldTensors)) return changes;
    changes |= apply(Pass::FoldNorms, kernel, path, [&] { return foldNorms(kernel, types); });
    changes |= apply(Pass::FoldTensors, kernel, path,
                     [&] { return foldTensors(kernel, context.limits, module, types); });
    return changes;
}

bool BodyPasses::expand(Kernel& kernel, const graph::Edge& in, const graph::Edge& out,
                        const tensor::Layouts& layouts, const std::string& path, bool& changes) {
    if (context.passes.isEnabled(Pass::FuseEpilogues)) {
        Kernel fused = kernel;
        if (!expandWith(fused, in, out, layouts, true)) return false;
        if (ir::contracts(*fused.code.work, hasEpilogue)) {
            base::PassRun run(context.passes, Pass::FuseEpilogues, path);
            run.show([&] { return ir::print(*fused.code.work); });
            if (run) {
                kernel = std::move(fused);
                return changes = true;
            }
        }
    }
    if (!expandWith(kernel, in, out, layouts, false)) return false;
    changes |= ir::contracts(*kernel.code.work, hasParts);
    return true;
}

bool BodyPasses::expandWith(Kernel& kernel, const graph::Edge& in, const graph::Edge& out,
                            const tensor::Layouts& layouts, bool fusesEpilogues) {
    const tensor::Fields fields{kernel.tensors, kernel.storedTensors, {}};
    const tensor::Channels channels{in.tensors.empty() ? nullptr : in.type,
                                    out.tensors.empty() ? nullptr : out.type, layouts};
    return !tensor::expandWork(kernel.code,
                               {kernel.constants, in.tensors, fields, fusesEpilogues,
                                &context.passes, module.natives, split},
                               channels, types);
}

}  // namespace strc::opt
