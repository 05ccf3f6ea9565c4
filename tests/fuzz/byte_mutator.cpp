#include "byte_mutator.h"

#include <cstddef>
#include <random>

namespace strc::fuzz {
namespace {

constexpr unsigned kMostChanges = 4;
constexpr std::size_t kMostMoved = 16;  ///< bytes of one change
/// Values at which sizes and counts in headers overflow.
constexpr unsigned char kEdges[] = {0x00, 0x01, 0x7f, 0x80, 0xff};

class ByteMutator {
public:
    ByteMutator(std::string_view input, std::uint32_t seed) : text(input), random(seed) {}

    std::string run() {
        for (unsigned left = 1 + below(kMostChanges); left-- > 0;) change();
        return text;
    }

private:
    std::size_t below(std::size_t bound) { return bound == 0 ? 0 : random() % bound; }

    void change() {
        if (text.empty()) {
            text.push_back(static_cast<char>(random()));
            return;
        }
        const std::size_t at = below(text.size());
        const std::size_t count = 1 + below(kMostMoved);
        switch (below(6)) {
            case 0: text[at] = static_cast<char>(text[at] ^ (1 << below(8))); break;
            case 1: text[at] = static_cast<char>(kEdges[below(std::size(kEdges))]); break;
            case 2: text.erase(at, count); break;
            case 3: text.insert(at, text.substr(below(text.size()), count)); break;
            case 4: text.replace(at, count, text.substr(below(text.size()), count)); break;
            default: text.resize(at); break;
        }
    }

    std::string text;
    std::minstd_rand random;
};

}  // namespace

std::string mutateBytes(std::string_view input, std::uint32_t seed) {
    return ByteMutator(input, seed).run();
}

}  // namespace strc::fuzz
