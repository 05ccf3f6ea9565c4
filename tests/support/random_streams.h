#pragma once
/// Programs made of bytes: hierarchical graphs whose rates balance by construction, mostly.

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "support/streams.h"

namespace strc::testing {

/// Decisions taken from bytes; when they run out every answer is 0.
class Choices {
public:
    explicit Choices(std::span<const std::uint8_t> bytes) : bytes(bytes) {}
    /// 0 … n-1
    std::int64_t pick(std::int64_t n);
    bool chance(int outOf256) { return pick(256) < outOf256; }

private:
    std::span<const std::uint8_t> bytes;
};

struct ProgramShape {
    int depth = 3;                 ///< of composites
    std::int64_t children = 3;     ///< of one composite, at most
    std::int64_t rate = 4;         ///< greatest rate or weight chosen
    int preworks = 40;             ///< of 256 filters
    int peeks = 80;
    int unbalanced = 0;            ///< of 256 splitjoins
    int starved = 0;               ///< of 256 feedback loops
};

/// A void->void pipeline of a source, something and a sink.
Stream randomProgram(Choices&, const ProgramShape& = {});

std::vector<std::uint8_t> randomBytes(std::mt19937& engine, std::size_t count);

}  // namespace strc::testing
