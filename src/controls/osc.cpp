#include "controls/osc.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>

namespace strc::controls {
namespace {

constexpr std::string_view kBundle("#bundle\0", 8);
constexpr std::size_t kTimeTag = 8;
constexpr int kDeepest = 8;  ///< bundles in bundles

/// Takes pieces of a packet, as long as there are enough bytes.
class Bytes {
public:
    explicit Bytes(std::string_view text) : left(text) {}

    bool isEmpty() const { return left.empty(); }

    std::optional<std::string_view> take(std::size_t count) {
        if (left.size() < count) return std::nullopt;
        const std::string_view taken = left.substr(0, count);
        left.remove_prefix(count);
        return taken;
    }

    /// A text that ends in NUL, filled up to a multiple of four bytes.
    std::optional<std::string_view> text() {
        const std::size_t end = left.find('\0');
        if (end == left.npos) return std::nullopt;
        const auto all = take(end + 4 - end % 4);
        return all ? std::optional(all->substr(0, end)) : std::nullopt;
    }

    /// Big-endian.
    template <typename T>
    std::optional<T> number() {
        const auto bytes = take(sizeof(T));
        if (!bytes) return std::nullopt;
        T value = 0;
        for (const char byte : *bytes)
            value = static_cast<T>(value << 8 | static_cast<unsigned char>(byte));
        return value;
    }

private:
    std::string_view left;
};

/// The argument of that type, if it is one that a parameter can have.
std::optional<double> valueOf(char type, Bytes& bytes) {
    switch (type) {
        case 'T': return 1;
        case 'F': return 0;
        case 'i':
            if (auto bits = bytes.number<std::uint32_t>())
                return std::bit_cast<std::int32_t>(*bits);
            return std::nullopt;
        case 'f':
            if (auto bits = bytes.number<std::uint32_t>()) return std::bit_cast<float>(*bits);
            return std::nullopt;
        case 'd':
            if (auto bits = bytes.number<std::uint64_t>()) return std::bit_cast<double>(*bits);
            return std::nullopt;
        default: return std::nullopt;
    }
}

void addMessage(Bytes bytes, std::vector<Change>& changes) {
    const auto address = bytes.text();
    const auto types = bytes.text();
    if (!address || !address->starts_with('/') || !types || types->size() < 2 ||
        types->front() != ',')
        return;
    const std::string_view name = address->substr(address->rfind('/') + 1);
    const std::optional<double> value = valueOf((*types)[1], bytes);
    if (!name.empty() && value && std::isfinite(*value))
        changes.push_back({std::string(name), *value});
}

void addPacket(std::string_view packet, int depth, std::vector<Change>& changes) {
    if (!packet.starts_with(kBundle)) return addMessage(Bytes(packet), changes);
    Bytes bytes(packet.substr(kBundle.size()));
    if (depth == kDeepest || !bytes.take(kTimeTag)) return;
    while (!bytes.isEmpty()) {
        const auto size = bytes.number<std::uint32_t>();
        const auto element = size ? bytes.take(*size) : std::nullopt;
        if (!element) return;
        addPacket(*element, depth + 1, changes);
    }
}

}  // namespace

std::vector<Change> changesOfPacket(std::string_view packet) {
    std::vector<Change> changes;
    addPacket(packet, 0, changes);
    return changes;
}

}  // namespace strc::controls
