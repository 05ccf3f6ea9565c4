// The header of NumPy's files: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#include "io/detail/npy.h"

#include <array>
#include <cstring>

#include <fmt/format.h>

#include "io/items.h"
#include "strc/files/npy.h"

namespace strc::io {

using base::Result;

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMostBesideText = 192;  ///< strc_npy_put_header

}  // namespace

Result<NpyHeader> readNpyHeader(Source& source) {
    auto wrong = [&](const std::string& reason) {
        return source.malformed(name(Format::Npy), reason);
    };
    auto bytes = source.ask(12);
    if (!bytes) return bytes.failure();
    const auto* start = reinterpret_cast<const unsigned char*>(bytes->data());
    if (bytes->size() < 10 || std::memcmp(start, kMagic.data(), kMagic.size()) != 0)
        return wrong("it does not begin as one");
    unsigned version = start[6];
    std::size_t prefix = version == 1 ? 10 : 12;
    if (version < 1 || version > 3 || bytes->size() < prefix)
        return wrong(fmt::format("version {} is not known", version));
    std::size_t length = start[8] | start[9] << 8u;
    if (version > 1)
        length |= static_cast<std::size_t>(start[10]) << 16u | static_cast<std::size_t>(start[11])
                                                                   << 24u;
    if (length > STRC_NPY_LONGEST) return wrong("its header is too long");
    bytes = source.ask(prefix + length);
    if (!bytes) return bytes.failure();
    if (bytes->size() < prefix + length) return wrong("it ends in its header");
    strc_npy_header parsed{};
    std::array<char, STRC_NPY_WHY> why{};
    const auto* text = reinterpret_cast<const char*>(bytes->data()) + prefix;
    if (strc_npy_parse(text, length, &parsed, why.data()) != 0) return wrong(why.data());
    source.take(prefix + length);
    NpyHeader header;
    header.element = {parsed.kind, parsed.size, parsed.big_endian != 0};
    header.dims.assign(parsed.extents, parsed.extents + parsed.rank);
    header.count = parsed.count;
    header.start = prefix + length;
    return header;
}

std::string npyHeader(std::string_view descr, std::string_view shape, std::size_t longest) {
    std::string text(descr.size() + shape.size() + longest + kMostBesideText, '\0');
    text.resize(strc_npy_put_header(text.data(), std::string(descr).c_str(),
                                    std::string(shape).c_str(), longest));
    return text;
}

}  // namespace strc::io
