#pragma once
/// What of a processor decides about code, beside the instructions that it has. The numbers of processors stand here and nowhere
/// else; what a cost model makes of them is its own.

#include <cstdint>
#include <functional>
#include <string_view>

namespace strc::target {

enum class Architecture : std::uint8_t { X86, AArch64, Other };

/// Instructions that add products of bytes to sums of 32 bits, exactly.
enum class Dots : std::uint8_t {
    None,
    Pairs,  ///< two products of 16-bit numbers (pmaddwd)
    UnsignedFours,  ///< four of an unsigned and a signed byte (vpdpbusd)
    Fours,  ///< four of signed bytes (sdot)
};

/// Sizes in bytes, times in cycles. Without more knowledge: a server of x86-64-v4.
struct Model {
    // ---- registers
    std::int64_t vectorBytes = 64;
    std::int64_t vectorRegisters = 32;
    bool fusesProducts = true;  ///< has an instruction for a * b + c
    Dots dots = Dots::None;

    // ---- products of vectors
    /// A sum waits so long for itself, with a little that no row of instructions makes up for.
    double productLatency = 4.5;
    double productsAtOnce = 2;  ///< products, and loads beside them, that begin in a cycle

    // ---- memory
    std::int64_t lineBytes = 64;  ///< of a cache
    std::int64_t firstCacheBytes = 32 * 1024;
    std::int64_t secondCacheBytes = 1024 * 1024;

    constexpr std::int64_t lanes(std::int64_t elementBytes) const {
        return vectorBytes / elementBytes;
    }
};

/// Has the processor a feature, by LLVM's name ("avx2")?
using HasFeature = std::function<bool(std::string_view)>;
Model modelOf(Architecture, const HasFeature&);

}  // namespace strc::target
