#pragma once
/// Names, types, conversions, constantness and structure of declarations: everything that is wrong
/// for every instance (language.md 19.2 to 19.4). In: trees. Out: a Program and diagnostics; all
/// faults of all units are reported in one run, follow-on faults are absorbed by the error type.
/// After syntax errors what was understood is checked, to report its errors in the same run; the
/// Program is good for nothing else then.

#include <span>
#include <string>
#include <string_view>

#include "ast/nodes.h"
#include "base/context.h"
#include "sema/program.h"

namespace strc::sema {

/// `others`: names of streams that could be meant by one that is not known.
Program check(base::Context&, std::span<const ast::Unit* const>,
              std::span<const std::string_view> others = {});

/// Checks `unit` as a change of `program`: its declarations replace those of the same name and what
/// depends on them is checked again; the rest is not looked at. For a prompt and for editors.
void update(base::Context&, Program&, const ast::Unit& unit);

/// Marks as broken the filters with errors inside of bodies that their rates, fields and types do
/// not depend on. True if that is all that is wrong: then the other streams and the graph can be
/// looked at, in the same run.
bool setAsideBroken(base::Context&, Program&);

/// How the main stream is chosen (language.md 1.3). Reports errors 35 and 36; null then.
/// `top`: the name given with --top, or empty. `defined`: the names that -D gives values to.
const StreamInfo* findMain(base::Context&, const Program&, std::string_view top,
                           std::span<const std::string> defined = {});

/// Marks what the main stream can reach; reports unused streams, parameters and functions. With
/// Context::lenient, errors inside unreachable streams become warnings: such streams must not be
/// lowered, so from here on only `reachable` streams count.
void markReachable(base::Context&, Program&, const StreamInfo& main);

}  // namespace strc::sema
