#pragma once
/// What a kernel that does the work of several filters has from one of them.

#include "elab/elaborate.h"

namespace strc::horizontal {

/// The filter's declaration, constants and stored arrays, with the rates of `count` firings and neither fields nor work.
elab::Kernel kernelForAll(const elab::Kernel& one, std::int64_t count, bool isShared);
void addField(elab::Kernel&, const ir::Variable&, const types::Type*);

/// Is the field computed when the program starts, and again when a parameter is set?
bool isDerived(const elab::Kernel&, std::uint32_t field);
/// What the filter's init has left there.
types::Value fieldOf(const elab::Elaboration&, graph::NodeId, std::uint32_t field);
void becomeConstant(ir::Instr&, types::Value);

}  // namespace strc::horizontal
