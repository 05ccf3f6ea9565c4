#pragma once
/// The state as a run finds it, in `strc_piece`s: zeros are not part of a program, however many there are.

#include <cstdint>
#include <string>

#include "codegen/detail/llvm.h"

namespace strc::codegen {

class ModuleBuilder;

struct StatePieces {
    llvm::Constant* table = nullptr;  ///< null pointer: there are none
    std::uint64_t count = 0;
};
StatePieces emitPieces(ModuleBuilder&, const std::string& image);

}  // namespace strc::codegen
