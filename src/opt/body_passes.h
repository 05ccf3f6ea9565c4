#pragma once
/// The passes over one body that has tensors, in order, and its way to loops. Private to opt.

#include <optional>
#include <string>

#include "base/context.h"
#include "elab/elaborate.h"
#include "tensor/expand.h"
#include "types/tensor_split.h"

namespace strc::opt {

class BodyPasses {
public:
    BodyPasses(base::Context& base, const ir::Module& lowered, types::TypeTable& table,
               const std::optional<types::TensorSplit>& byHand)
        : context(base), module(lowered), types(table), split(byHand) {}

    /// Has anything changed? `path`: of the filter, for whoever looks at passes.
    bool improve(elab::Kernel&, const std::string& path);

    /// To loops, between those two channels; with epilogues where there are any, or parts by hand, which are changes. False: it cannot be.
    bool expand(elab::Kernel&, const graph::Edge& in, const graph::Edge& out,
                const tensor::Layouts&, const std::string& path, bool& changes);

private:
    template <typename Change>
    bool apply(base::Pass, elab::Kernel&, const std::string& path, Change);
    bool expandInTurn(elab::Kernel&, const graph::Edge& in, const graph::Edge& out,
                      const tensor::Layouts&, const std::string& path);
    /// `images` of a batch, one after the other.
    bool expandAll(elab::Kernel&, const graph::Edge& in, const graph::Edge& out,
                   const tensor::Layouts&, std::int64_t images, const std::string& path,
                   bool& changes);
    bool expandWith(elab::Kernel&, const graph::Edge& in, const graph::Edge& out,
                    const tensor::Layouts&, std::int64_t images, bool fusesEpilogues);

    base::Context& context;
    const ir::Module& module;
    types::TypeTable& types;
    const std::optional<types::TensorSplit>& split;
};

}  // namespace strc::opt
