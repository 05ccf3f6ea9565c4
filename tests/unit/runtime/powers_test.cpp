// The powers of ten, by integers of any length.

#include <vector>

#include <gtest/gtest.h>

#include "decimal.h"

namespace strc::testing {
namespace {

class Large {
public:
    explicit Large(std::uint64_t value = 1)
        : words{static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32)} {}
    explicit Large(strc_wide value) : Large(value.high) {
        shift(64);
        words[0] = static_cast<std::uint32_t>(value.low);
        words[1] = static_cast<std::uint32_t>(value.low >> 32);
    }

    void multiply(std::uint32_t factor) {
        std::uint64_t carry = 0;
        for (std::uint32_t& word : words) {
            carry += static_cast<std::uint64_t>(word) * factor;
            word = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
        words.push_back(static_cast<std::uint32_t>(carry));
    }
    void multiplyByPowerOfTen(int exponent) {
        for (int i = 0; i < exponent; ++i) multiply(10);
    }
    void shift(int bits) {
        for (; bits >= 16; bits -= 16) multiply(1u << 16);
        if (bits > 0) multiply(1u << bits);
    }
    void decrement() {
        for (std::uint32_t& word : words)
            if (word-- != 0) return;
    }
    bool operator<(const Large& other) const {
        for (std::size_t i = std::max(words.size(), other.words.size()); i-- > 0;) {
            std::uint32_t mine = i < words.size() ? words[i] : 0;
            std::uint32_t its = i < other.words.size() ? other.words[i] : 0;
            if (mine != its) return mine < its;
        }
        return false;
    }

private:
    std::vector<std::uint32_t> words;  ///< lowest first
};

/// Is `power` the least integer that is not below 10^exponent * 2^shift?
bool isPower(Large power, int exponent, int shift) {
    Large exact;
    exact.multiplyByPowerOfTen(exponent);
    exact.shift(shift);
    auto scale = [&](Large number) {
        number.multiplyByPowerOfTen(-exponent);
        number.shift(-shift);
        return number;
    };
    if (scale(power) < exact) return false;
    power.decrement();
    return scale(power) < exact;
}

int log2(int exponent) {
    Large power;
    int result = 0;
    power.multiplyByPowerOfTen(std::abs(exponent));
    for (Large two(2); !(power < two); two.multiply(2)) ++result;
    return exponent >= 0 ? result : -result - 1;
}

TEST(Powers, Of128Bits) {
    for (int exponent = -292; exponent <= 324; ++exponent) {
        strc_wide power = strc_power_of_ten_128(exponent);
        EXPECT_TRUE(power.high >> 63) << exponent;
        EXPECT_TRUE(isPower(Large(power), exponent, 127 - log2(exponent))) << exponent;
    }
}

TEST(Powers, Of64Bits) {
    for (int exponent = -31; exponent <= 45; ++exponent) {
        std::uint64_t power = strc_power_of_ten_64(exponent);
        EXPECT_TRUE(power >> 63) << exponent;
        EXPECT_TRUE(isPower(Large(power), exponent, 63 - log2(exponent))) << exponent;
    }
}

}  // namespace
}  // namespace strc::testing
