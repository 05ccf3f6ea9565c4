#pragma once
/// How much of the stack machine code takes, as LLVM lays its frames out.

#include <cstdint>
#include <map>

#include "codegen/detail/llvm.h"

namespace strc::codegen {

/// Listens, as long as it lives, to what LLVM says about the frames of a module's functions.
class StackDepth {
public:
    explicit StackDepth(llvm::Module&);
    ~StackDepth();
    StackDepth(const StackDepth&) = delete;
    StackDepth& operator=(const StackDepth&) = delete;

    /// Once there is machine code: bytes of the frames along any chain of calls within the module, at most. Each function is counted
    /// once, however deep it recurses; what is called from outside, or in other modules, is not counted.
    std::uint64_t bytes() const;

private:
    llvm::Module& module;
    std::map<const llvm::Function*, std::uint64_t> frames;
};

}  // namespace strc::codegen
