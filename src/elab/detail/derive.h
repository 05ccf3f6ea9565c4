#pragma once
/// What composites compute from open parameters (ir/open.h) for the filters in them. Private to elab.

#include "elab/detail/tree.h"
#include "ir/dependence.h"

namespace strc::elab {

/// Notes with the children of a composite whose body has run which of their constants depend on open parameters. False
/// after reporting that something else does, which nothing that is built can.
bool markChildren(base::Context&, const ir::Module&, Tree&, InstanceId);

/// Is there a constant that is neither open nor the same each time?
bool hasDerived(const Instance&);

/// Is there a composite around it whose demands nobody checks yet?
bool mustCheck(const Tree&, InstanceId);

/// The code of a filter in which such constants are fields, which setup gives their values: it calls what the composites
/// around do for them, and requires what they do. `constants` grow by what these look at.
ir::StreamCode withDerivation(const base::SourceManager&, const ir::Module&, types::TypeTable&,
                              const Tree&, InstanceId, std::vector<Value>& constants);

/// What derived constants make of a filter: false after reporting rates or extents that depend on them.
bool checkDerived(base::Context&, const ir::Module&, const Tree&, InstanceId, const ir::StreamCode&,
                  std::span<const Value> constants);

/// By field: what setup and init of a specialised filter that starts late make of open parameters. If they require
/// something of them, that comes last.
std::vector<ir::Marks> derivedFields(const ir::Module&, const ir::StreamCode&,
                                     std::span<const Value> constants);

}  // namespace strc::elab
