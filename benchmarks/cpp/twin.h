#pragma once
// What the C++ twins of the programs share: `twin IN OUT` makes one raw file of another, in blocks,
// and says on standard error how many seconds that took, files included, as `strc run --stats` does.
// `twin lcg:COUNT:BITS OUT` makes its input itself instead, as programs/lcg.str does.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

/// A linear congruential generator of `count` items: ints of so many bits, floats in [-1, 1), or
/// pairs of floats.
class Lcg {
public:
    Lcg() = default;
    Lcg(std::size_t count, int bits) : left_(count), shift_(32 - bits) {}

    template <class T>
    std::size_t make(T* items, std::size_t count) {
        count = std::min(count, left_);
        left_ -= count;
        std::uint32_t state = state_;
        auto next = [&] {
            state = state * 1103515245 + 12345;
            return static_cast<std::int32_t>(state);
        };
        auto nextFloat = [&] { return static_cast<float>(next() >> 8) / 8388608.0F; };
        for (std::size_t i = 0; i < count; i++) {
            if constexpr (std::is_integral_v<T>) {
                items[i] = static_cast<T>(next() >> shift_);
            } else if constexpr (std::is_same_v<T, float>) {
                items[i] = nextFloat();
            } else {
                float pair[2] = {nextFloat(), 0};
                pair[1] = nextFloat();
                static_assert(sizeof(T) == sizeof pair);
                std::memcpy(&items[i], pair, sizeof pair);
            }
        }
        state_ = state;
        return count;
    }

private:
    std::uint32_t state_ = 1;
    std::size_t left_ = 0;
    int shift_ = 0;
};

/// The files of a twin and its clock, which runs from construction to destruction. Tables that hold
/// for the whole run are made before.
class Twin {
public:
    Twin(int argc, char** argv) {
        if (argc != 3) fail("usage: twin IN OUT or twin lcg:COUNT:BITS OUT");
        std::size_t count = 0;
        int bits = 0;
        if (std::sscanf(argv[1], "lcg:%zu:%d", &count, &bits) == 2) {
            lcg_ = Lcg(count, bits);
        } else {
            in_ = std::fopen(argv[1], "rb");
            if (!in_) fail(argv[1]);
            std::setvbuf(in_, nullptr, _IOFBF, kBuffer);
        }
        out_ = std::fopen(argv[2], "wb");
        if (!out_) fail(argv[2]);
        std::setvbuf(out_, nullptr, _IOFBF, kBuffer);
    }
    Twin(const Twin&) = delete;
    Twin& operator=(const Twin&) = delete;
    ~Twin() {
        if (std::fclose(out_) != 0) fail("cannot write");
        if (in_) std::fclose(in_);
        std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start_;
        std::fprintf(stderr, "%.6f s\n", seconds.count());
    }

    /// Reads up to `count` items, in multiples of `unit` of them; what is left at the end is dropped.
    template <class T>
    std::size_t read(T* items, std::size_t count, std::size_t unit = 1) {
        std::size_t got = in_ ? std::fread(items, sizeof(T), count, in_) : lcg_.make(items, count);
        return got - got % unit;
    }
    template <class T>
    void write(const T* items, std::size_t count) {
        if (std::fwrite(items, sizeof(T), count, out_) != count) fail("cannot write");
    }

private:
    static constexpr std::size_t kBuffer = 1 << 16;

    [[noreturn]] static void fail(const char* what) {
        std::perror(what);
        std::exit(1);
    }

    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::FILE* in_ = nullptr;  ///< null: the generator's items are read
    Lcg lcg_;
    std::FILE* out_ = nullptr;
};
