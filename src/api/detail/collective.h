#pragma once
/// How a stream reaches the other processes of its mesh.

#include "codegen/lower.h"
#include "strc/mesh.h"
#include "strc/strc.h"

namespace strc::api {

/// The caller's collectives as the runtime calls them.
class Collective {
public:
    Collective(const codegen::Mesh& place, const strc_collectives& functions);
    Collective(const Collective&) = delete;
    Collective& operator=(const Collective&) = delete;

    const strc_mesh& mesh() const { return made; }

private:
    strc_collectives calls;
    strc_mesh made;
};

}  // namespace strc::api
