#include "opt/detail/body_passes.h"

#include <algorithm>

#include "base/pass.h"
#include "ir/attention.h"
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
    const std::int64_t images =
        context.options.split ? 1 : imagesToBlock(kernel, types, context.target);
    std::optional<base::PassRun> blocking;
    if (images > 1 && holdsBatch(in, images, types) && holdsBatch(out, images, types))
        blocking.emplace(context.passes(), Pass::ImageBlocking, path);
    const bool isBlocked = blocking && *blocking;
    if (!expandAll(kernel, {in, out, layouts, isBlocked ? images : 1}, path, changes)) return false;
    if (isBlocked) {
        blocking->show([&] { return ir::print(*kernel.code.work); });
        changes = true;
    } else if (!context.options.split) {
        changes |= pass::runPasses(context, kernel, base::PassLevel::Loops, passTable(), path);
    }
    return true;
}

bool BodyPasses::expandAll(Kernel& kernel, const Expansion& how, const std::string& path,
                           bool& changes) {
    std::optional<base::PassRun> fusing;
    if (tensor::mayHaveEpilogue(*kernel.code.work))
        fusing.emplace(context.passes(), Pass::FuseEpilogues, path);
    const bool fuses = fusing && *fusing;
    if (!expandWith(kernel, how, fuses)) return false;
    if (fuses) fusing->show([&] { return ir::print(*kernel.code.work); });
    changes |= ir::contracts(*kernel.code.work, hasEpilogue) ||
               ir::contracts(*kernel.code.work, hasParts) || ir::tellsAttention(*kernel.code.work);
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
                                context.options.split,
                                context.options.forDevice};
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
