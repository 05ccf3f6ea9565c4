#pragma once
/// The passes over one body that has tensors, in order, and its way to loops.

#include <optional>
#include <string>

#include "elab/elaborate.h"
#include "pass/context.h"
#include "tensor/expand.h"

namespace strc::opt {

class BodyPasses {
public:
    explicit BodyPasses(const pass::Context& what) : context(what), types(what.types) {}

    /// The passes of the level Tensors. Has anything changed? `path`: of the filter, for lists and texts.
    bool improve(elab::Kernel&, const std::string& path);

    /// To loops, between those two channels; with epilogues where there are any, or parts by hand, which are changes. False: it cannot be.
    bool expand(elab::Kernel&, const graph::Edge& in, const graph::Edge& out,
                const tensor::Layouts&, const std::string& path, bool& changes);

private:
    /// How the operations of a kernel become loops: how its items lie, and so many `images` of a batch one after the other.
    struct Expansion {
        const graph::Edge &in, &out;
        const tensor::Layouts& layouts;
        std::int64_t images = 1;
    };
    /// With epilogues, if there are any and the pass is wanted.
    bool expandAll(elab::Kernel&, const Expansion&, const std::string& path, bool& changes);
    bool expandWith(elab::Kernel&, const Expansion&, bool fusesEpilogues);

    const pass::Context& context;
    types::TypeTable& types;
};

}  // namespace strc::opt
