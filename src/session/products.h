#pragma once
/// Every stage's product as a text: --emit, and what the C API shows.

#include <string>

#include "session/pipeline.h"
#include "session/settings.h"

namespace strc::session {

enum class Product : std::uint8_t { Ast, Ir, Graph, Schedule, Plan, Llvm, Asm, Object };

/// How far a compilation has to have come.
Stage stageOf(Product);
/// Every one but Object. Machine code needs codegen::whyNot to be empty.
std::string textOf(Product, Compilation&, const codegen::Options&);

/// The same for what one stage or pass has made; of a pass within a stage, what it has shown.
Stage stageOf(base::Pass);
std::string textAfter(base::Pass, Compilation&, const codegen::Options&);

/// Items that each edge has room for, by EdgeId.
std::vector<std::int64_t> capacities(const Compilation&);

}  // namespace strc::session
