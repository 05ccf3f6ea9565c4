// Weights that are made up.

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <map>
#include <string_view>

#include "base/assert.h"
#include "strc/values.h"
#include "weights/weights.h"

namespace strc::weights {
namespace {

using base::Diag;
using types::TypeKind;

constexpr std::string_view kPrefix = "random:";

/// SplitMix64, which begins where the name says.
class Generator {
public:
    Generator(std::uint64_t seed, std::string_view name) : state(seed) {
        for (unsigned char c : name) state = (next() ^ c) * 0x100000001b3u;
    }
    std::uint64_t next() {
        state += 0x9e3779b97f4a7c15u;
        std::uint64_t z = state;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    /// From -1 to 1.
    double uniform() { return std::ldexp(static_cast<double>(next() >> 11), -52) - 1; }

private:
    std::uint64_t state;
};

struct Spread {
    double middle = 0, reach = 1;
};

Spread spreadOf(std::string_view name, const Type* type) {
    const std::string_view last = name.substr(name.rfind('.') + 1);
    if (last == "running_var" || (last == "weight" && type->dims.size() <= 1)) return {1, 0.5};
    double fanIn = 1;
    for (std::size_t k = type->dims.size() > 1 ? 1 : 0; k < type->dims.size(); ++k)
        fanIn *= static_cast<double>(type->dims[k]);
    return {0, 1 / std::sqrt(std::max(fanIn, 1.0))};
}

template <typename T>
void fill(std::byte* to, std::int64_t count, Generator& generator, Spread spread) {
    for (std::int64_t k = 0; k < count; ++k) {
        T value{};
        if constexpr (std::is_floating_point_v<T>)
            value = static_cast<T>(spread.middle + spread.reach * generator.uniform());
        else
            value = static_cast<T>(generator.next() >> 63);
        std::memcpy(to + static_cast<std::size_t>(k) * sizeof value, &value, sizeof value);
    }
}

/// Numbers that half and bfloat16 have both: 8 digits, none below the least half.
void fillShort(std::byte* to, std::int64_t count, Generator& generator, Spread spread,
               std::uint16_t (*bitsOf)(double)) {
    for (std::int64_t k = 0; k < count; ++k) {
        const auto value = static_cast<float>(spread.middle + spread.reach * generator.uniform());
        const auto wide = std::bit_cast<std::uint32_t>(value);
        const bool isTiny = (wide >> 23 & 0xff) < 127 - 14;
        const auto cut = std::bit_cast<float>(isTiny ? 0 : wide & 0xffff0000u);
        const std::uint16_t bits = bitsOf(static_cast<double>(cut));
        std::memcpy(to + static_cast<std::size_t>(k) * sizeof bits, &bits, sizeof bits);
    }
}

class Random final : public Source {
public:
    Random(std::uint64_t seed, const base::Limits& limits) : seed(seed), limits(limits) {}

    base::Result<Values> look(const std::string& name, const Type* wanted,
                              types::TypeTable&) override {
        if (types::sizeOf(wanted) == types::kDynamic)
            return base::failure(Diag::TensorUnknown,
                                 {"the shape of '" + name + "', whose values are to be made up,"});
        const Type* first = known.try_emplace(name, wanted).first->second;
        if (first != wanted)
            return base::failure(
                Diag::WeightsMismatch,
                {name, std::string(kPrefix) + std::to_string(seed),
                 types::toString(first) + " for another filter", types::toString(wanted)});
        const std::int64_t count = types::countElements(wanted);
        constexpr std::int64_t kMostBytes = 8;  // of an element
        if (count > static_cast<std::int64_t>(limits.totalBytes - held) / kMostBytes)
            return base::failure(Diag::LimitExceeded,
                                 {"the memory for weights", std::to_string(limits.totalBytes)});
        Bytes& made = values[name];
        if (!made) made = make(name, wanted, static_cast<std::size_t>(types::sizeOf(wanted)));
        return Values{wanted, made};
    }

    std::string similarTo(const std::string&) const override { return {}; }
    std::string path() const override { return {}; }

private:
    Bytes make(const std::string& name, const Type* type, std::size_t size) {
        held += size;
        std::shared_ptr<std::byte[]> bytes(new std::byte[size + 1]());
        Generator generator(seed, name);
        const std::int64_t count = types::countElements(type);
        const Spread spread = spreadOf(name, type);
        switch (type->element->kind) {
            case TypeKind::Float: fill<float>(bytes.get(), count, generator, spread); break;
            case TypeKind::Double: fill<double>(bytes.get(), count, generator, spread); break;
            case TypeKind::Half:
                fillShort(bytes.get(), count, generator, spread, strc_to_half);
                break;
            case TypeKind::BFloat16:
                fillShort(bytes.get(), count, generator, spread, strc_to_bfloat16);
                break;
            case TypeKind::Int8: fill<std::int8_t>(bytes.get(), count, generator, spread); break;
            case TypeKind::Int: fill<std::int32_t>(bytes.get(), count, generator, spread); break;
            case TypeKind::Long: fill<std::int64_t>(bytes.get(), count, generator, spread); break;
            case TypeKind::Boolean:
                fill<std::uint8_t>(bytes.get(), count, generator, spread);
                break;
            default: STRC_UNREACHABLE("no element of a tensor");
        }
        return {bytes, bytes.get()};
    }

    std::uint64_t seed;
    base::Limits limits;
    std::uint64_t held = 0;
    std::map<std::string, const Type*> known;  ///< what each name was first asked for as
    std::map<std::string, Bytes> values;
};

}  // namespace

std::unique_ptr<Source> random(std::uint64_t seed, const base::Limits& limits) {
    return std::make_unique<Random>(seed, limits);
}

bool areMadeUp(const std::string& text) { return text.starts_with(kPrefix); }

base::Result<std::unique_ptr<Source>> fromOption(const std::string& text,
                                                 const base::Limits& limits) {
    if (!areMadeUp(text)) return open(text);
    std::uint64_t seed = 0;
    const char* begin = text.data() + kPrefix.size();
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(begin, end, seed);
    if (error == std::errc() && rest == end) return random(seed, limits);
    return base::failure(Diag::BadOptionValue,
                         {text, "--weights", "a file, or 'random:' and a number"});
}

std::unique_ptr<Source> fromOptionLater(const std::string& text, const base::Limits& limits) {
    if (areMadeUp(text))
        if (auto made = fromOption(text, limits)) return std::move(*made);
    return openLater(text);
}

}  // namespace strc::weights
