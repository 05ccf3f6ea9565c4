#pragma once
/// Every stage's product as a text: --emit, and what the C API shows.

#include <optional>
#include <string>
#include <string_view>

#include "session/pipeline.h"
#include "session/settings.h"

namespace strc::session {

enum class Product : std::uint8_t {
    Ast,
    Ir,
    Graph,
    GraphJson,
    GraphDot,
    GraphSvg,
    Schedule,
    Program,  ///< pass/text.h
    Plan,
    Llvm,
    Asm,
    Object,
    Memory,
    MemoryJson,
    CSource,
    CHeader,
    AfterPass,  ///< what Settings::emitAfter has made; of a pass within a stage, what it has shown
};

/// How far a compilation has to have come.
Stage stageOf(Product, const Settings&);
/// Every one but Object. Empty after reporting, if the program cannot be compiled or the tool that draws is not there.
std::optional<std::string> textOf(Product, Compilation&, const Settings&);

/// False after reporting why there is no machine code for it.
bool canBeCompiled(Compilation&);
/// False after reporting that only the run can tell a shape: streams of libstrc want all of them.
bool hasAllShapes(Compilation&);
void reportCannotCompile(Compilation&, std::string_view why);
/// Where the main stream begins, for what concerns all of the program.
base::SourceRange mainHeader(const Compilation&);

/// Items that each edge has room for, by EdgeId.
std::vector<std::int64_t> capacities(const Compilation&);

}  // namespace strc::session
