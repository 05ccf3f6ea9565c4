#pragma once
/// How large the parts are that threads share. Costs are in products of tiles that do as many in a cycle as any.

#include <cstdint>

namespace strc::codegen {

/// So many pieces of that size hold the count.
constexpr std::int64_t piecesOf(std::int64_t count, std::int64_t size) {
    return (count + size - 1) / size;
}

/// The least work that is worth sharing: some 4 µs.
constexpr std::int64_t kLeastShared = std::int64_t{3} << 17;
/// The least work of a part.
constexpr std::int64_t kLeastOfPart = std::int64_t{1} << 16;

/// How many of the iterations form a part: `least`, or up to twice as many if that makes an even number of more equal parts.
std::int64_t grainOf(std::int64_t trips, std::int64_t least);

}  // namespace strc::codegen
