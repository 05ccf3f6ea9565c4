#pragma once
/// The text of a whole program: kernels with their constants, types of fields and states beside the graph and the quota. What is
/// printed can be read back, and prints the same again. docs/design/passes.md tells what it looks like.

#include <optional>
#include <string>

#include "base/context.h"
#include "ir/ir.h"
#include "pass/program.h"

namespace strc::pass {

/// Why a program has no text: one sentence ("it sends messages"); empty: it has one.
std::string whyNoText(const ir::Module&, const Program&);

/// The program has a text.
std::string print(const ir::Module&, const Program&);

/// Is it the text of a whole program? Else it is one of filters alone (ir/text.h).
bool isProgramText(std::string_view);

struct ReadProgram {
    ir::Module module;  ///< what kernels call and name; its streams are their code
    Program program;
};
/// The types are those of `types`. None: what is wrong has been reported where it stands.
std::optional<ReadProgram> parseProgram(base::Context&, base::BufferId, types::TypeTable& types);

}  // namespace strc::pass
