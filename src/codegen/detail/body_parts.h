#pragma once
/// What a BodyEmitter notes about the parts of a body.

#include <vector>

#include "base/diagnostics.h"
#include "codegen/detail/llvm.h"
#include "graph/graph.h"
#include "ir/item_places.h"

namespace strc::codegen {

/// What is said if a rate of a queue is not kept.
struct RateBreach {
    const graph::Rate& rate;
    base::Diag id;  ///< of a static rate
    const char *word, *verb;
    base::SourceRange range;
};

/// Where `break` and `continue` lead.
struct LoopTargets {
    llvm::BasicBlock* exit;
    llvm::BasicBlock* next;
};

struct LocalPlace {
    llvm::Value* memory = nullptr;  ///< of a scalar; of an aggregate: what Addr gives
    llvm::Value* address = nullptr;  ///< of dynamic extents: where the address is kept
    std::vector<llvm::Value*> extents;  ///< where dynamic extents are kept, by dimension
};

}  // namespace strc::codegen
