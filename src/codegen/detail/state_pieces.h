#pragma once
/// The state as tables: as a run finds it, in `strc_piece`s (zeros are not part of a program, however many there are), and what phases
/// leave to each other.

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/detail/llvm.h"

namespace strc::codegen {

class ModuleBuilder;

/// A constant array.
struct Rows {
    llvm::Constant* table = nullptr;  ///< null pointer: there are none
    std::uint64_t count = 0;
};
Rows rowsOf(ModuleBuilder&, const std::vector<llvm::Constant*>& rows, const std::string& name);

Rows emitPieces(ModuleBuilder&, const std::string& image);
/// strc_program::kept.
Rows emitKept(ModuleBuilder&);

}  // namespace strc::codegen
