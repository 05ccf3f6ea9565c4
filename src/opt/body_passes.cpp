#include "opt/detail/body_passes.h"

#include <algorithm>

#include "base/pass.h"
#include "ir/contraction.h"
#include "ir/text.h"
#include "opt/detail/image_blocking.h"
#include "opt/registry.h"
#include "pass/run.h"
#include "tensor/expand.h"

namespace strc::opt {
namespace {

using base::Pass;
using elab::Kernel;

bool hasEpilogue(const ir::Contraction& how) { return how.hasEpilogue(); }
bool hasParts(const ir::Contraction& how) { return how.parts.has_value(); }

/// Batches of so many, and no larger items of others.
bool holdsBatch(const graph::Edge& edge, std::int64_t images, types::TypeTable& types) {
    return edge.tensors.size() == 1 && edge.tensors[0]->dims[0] == images &&
           edge.type == tensor::storageOf(edge.tensors[0], types);
}

}  // namespace

bool BodyPasses::improve(Kernel& kernel, const std::string& path) {
    return pass::runPasses(context, kernel, base::PassLevel::Tensors, passTable(), path);
}

bool BodyPasses::expand(Kernel& kernel, const graph::Edge& in, const graph::Edge& out,
                        const tensor::Layouts& layouts, const std::string& path, bool& changes) {
    const Expansion how{in, out, layouts};
    if (expandBlocked(kernel, how, path)) return changes = true;
    if (!expandAll(kernel, how, path, changes)) return false;
    if (!context.options.split)
        changes |= pass::runPasses(context, kernel, base::PassLevel::Loops, passTable(), path);
    return true;
}

/// False: it does not pay, or cannot be.
bool BodyPasses::expandBlocked(Kernel& kernel, const Expansion& how, const std::string& path) {
    if (!context.passes().isEnabled(Pass::ImageBlocking) || context.options.split) return false;
    const std::int64_t images = imagesToBlock(kernel, types, context.target);
    if (images == 1 || !holdsBatch(how.in, images, types) || !holdsBatch(how.out, images, types))
        return false;
    const Expansion blocked{how.in, how.out, how.layouts, images};
    Kernel made = kernel;
    bool changes = false;
    if (!expandAll(made, blocked, path, changes)) return false;
    base::PassRun run(context.passes(), Pass::ImageBlocking, path);
    if (!run) return false;
    run.show([&] { return ir::print(*made.code.work); });
    kernel = std::move(made);
    return true;
}

bool BodyPasses::expandAll(Kernel& kernel, const Expansion& how, const std::string& path,
                           bool& changes) {
    if (context.passes().isEnabled(Pass::FuseEpilogues)) {
        Kernel fused = kernel;
        if (!expandWith(fused, how, true)) return false;
        if (ir::contracts(*fused.code.work, hasEpilogue)) {
            base::PassRun run(context.passes(), Pass::FuseEpilogues, path);
            run.show([&] { return ir::print(*fused.code.work); });
            if (run) {
                kernel = std::move(fused);
                return changes = true;
            }
        }
    }
    if (!expandWith(kernel, how, false)) return false;
    changes |= ir::contracts(*kernel.code.work, hasParts);
    return true;
}

bool BodyPasses::expandWith(Kernel& kernel, const Expansion& how, bool fusesEpilogues) {
    const tensor::Fields fields{kernel.tensors, kernel.storedTensors, {}};
    auto arriving = [&](const tensor::Sequence& input) {
        return tensor::Arriving{kernel.constants,
                                input,
                                fields,
                                fusesEpilogues,
                                &context.passes(),
                                context.module.natives,
                                context.options.split};
    };
    if (how.images == 1) {
        const tensor::Channels channels{how.in.tensors.empty() ? nullptr : how.in.type,
                                        how.out.tensors.empty() ? nullptr : how.out.type,
                                        how.layouts};
        return !tensor::expandWork(kernel.code, arriving(how.in.tensors), channels, types);
    }
    auto memory = [&](const graph::Edge& edge) {
        return types.array(types::innermost(edge.type), edge.type->extent / how.images);
    };
    forgetBatch(*kernel.code.work, types);
    return !tensor::expandWork(kernel.code, arriving(imagesOf(how.in.tensors, how.images, types)),
                               {memory(how.in), memory(how.out), how.layouts}, types) &&
           blockImages(kernel.code, how.images, types);
}

}  // namespace strc::opt
