// Makes libFuzzer change the inputs of a fuzzer of texts by tokens, now and then by bytes.

#include <cstdint>
#include <cstring>
#include <string_view>

#include "token_mutator.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

constexpr unsigned kByBytes = 5;  ///< one mutation in so many

std::string_view textOf(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

/// Too long a text is not taken at all: its end would be cut off.
std::size_t give(const std::string& text, std::uint8_t* data, std::size_t most) {
    if (text.size() > most) return 0;
    std::memcpy(data, text.data(), text.size());
    return text.size();
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
    if (seed % kByBytes == 0) return LLVMFuzzerMutate(data, size, most);
    const std::size_t given =
        give(strc::fuzz::mutateTokens(textOf(data, size), seed / kByBytes), data, most);
    return given > 0 ? given : LLVMFuzzerMutate(data, size, most);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* one, std::size_t sizeOfOne,
                                                 const std::uint8_t* other, std::size_t sizeOfOther,
                                                 std::uint8_t* out, std::size_t most,
                                                 unsigned seed) {
    return give(strc::fuzz::crossTokens(textOf(one, sizeOfOne), textOf(other, sizeOfOther), seed),
                out, most);
}
