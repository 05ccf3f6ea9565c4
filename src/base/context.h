#pragma once
/// What every stage is given explicitly; there are no globals. Several Contexts may live in one
/// process and share nothing.

#include <cstdint>

#include "base/arena.h"
#include "base/diagnostics.h"
#include "base/limits.h"
#include "base/names.h"
#include "base/passes.h"
#include "base/source.h"

namespace strc::base {

struct Context {
    SourceManager sources;
    Arena arena;
    NameTable names;
    Diagnostics diags;
    Limits limits;
    Passes passes;
    std::uint32_t nextNodeId = 0;  ///< dense ids for syntax nodes: side tables are vectors
    bool lenient = false;          ///< --lenient of language.md 8.2 and 20.17
    bool keepsStages = false;  ///< what filters came from is wanted (elab::Elaboration::stages)
};

}  // namespace strc::base
