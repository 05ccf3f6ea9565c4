#pragma once
/// Compiled programs in this process, by LLVM's ORC.

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "codegen/lower.h"

struct strc_program;

namespace strc::codegen {

class Jit {
public:
    /// Machine code in memory; the module is used up. A sentence why not (memory, processor).
    static base::Result<Jit> load(Module, const Options&);
    Jit(Jit&&) noexcept;
    Jit& operator=(Jit&&) noexcept;
    ~Jit();

    /// Lives as long as this.
    const strc_program& program() const;
    /// Bytes of the stack that its own functions take at most, but for recursion.
    std::uint64_t stackBytes() const;

private:
    struct Impl;
    explicit Jit(std::unique_ptr<Impl>);
    std::unique_ptr<Impl> impl;
};

}  // namespace strc::codegen
