#pragma once
/// Instructions of processors that add products of bytes to sums of 32 bits (target::Dots). Factors are words of several bytes.

#include <cstdint>

#include "codegen/detail/llvm.h"
#include "target/model.h"

namespace strc::codegen {

/// Bytes of a word for such instructions.
std::int64_t wordOf(target::Dots);

constexpr std::int64_t kPreparedBytes = 4;  ///< of a word of a row
/// Are words of rows others than those that lie in memory?
bool arePrepared(target::Dots);
/// A word of a row as an int that all lanes take; of a vector of words a vector of ints.
llvm::Value* rowWord(llvm::IRBuilder<>&, llvm::Value* word, target::Dots);
/// Have the bytes of such an int become greater by 128, so that none is negative? What that adds to sums has to be subtracted.
bool isOverByHalf(target::Dots);
/// What stands for a row all of whose bytes are that 128.
llvm::Constant* wordOfHalves(llvm::Type* sums);

/// Sums and the products of all bytes of two words. `row`: an int of `rowWord` in each lane, `columns`: words as they lie.
llvm::Value* plusDots(llvm::IRBuilder<>&, llvm::Value* sums, llvm::Value* row, llvm::Value* columns,
                      target::Dots);

}  // namespace strc::codegen
