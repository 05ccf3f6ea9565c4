#pragma once
/// A whole file in memory. Private to weights.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"

namespace strc::weights {

class Mapping {
public:
    /// A failure is a WeightsFile.
    static base::Result<std::shared_ptr<const Mapping>> open(const std::string& path);
    ~Mapping();
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;

    const std::byte* begin() const { return bytes; }
    std::uint64_t size() const { return length; }

private:
    Mapping(const std::byte* bytes, std::uint64_t length) : bytes(bytes), length(length) {}
    const std::byte* bytes;
    std::uint64_t length;
};

}  // namespace strc::weights
