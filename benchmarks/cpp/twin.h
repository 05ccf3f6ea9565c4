#pragma once
// What the C++ twins of the programs share: `twin IN OUT` makes one raw file of another, in blocks,
// and says on standard error how many seconds that took, files included, as `strc run --stats` does.

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

/// The files of a twin and its clock, which runs from construction to destruction. Tables that hold
/// for the whole run are made before.
class Twin {
public:
    Twin(int argc, char** argv) {
        if (argc != 3) fail("usage: twin IN OUT");
        in_ = std::fopen(argv[1], "rb");
        if (!in_) fail(argv[1]);
        out_ = std::fopen(argv[2], "wb");
        if (!out_) fail(argv[2]);
        std::setvbuf(in_, nullptr, _IOFBF, kBuffer);
        std::setvbuf(out_, nullptr, _IOFBF, kBuffer);
    }
    Twin(const Twin&) = delete;
    Twin& operator=(const Twin&) = delete;
    ~Twin() {
        if (std::fclose(out_) != 0) fail("cannot write");
        std::fclose(in_);
        std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start_;
        std::fprintf(stderr, "%.6f s\n", seconds.count());
    }

    /// Reads up to `count` items, in multiples of `unit` of them; what is left at the end is dropped.
    template <class T>
    std::size_t read(T* items, std::size_t count, std::size_t unit = 1) {
        std::size_t got = std::fread(items, sizeof(T), count, in_);
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
    std::FILE* in_ = nullptr;
    std::FILE* out_ = nullptr;
};
