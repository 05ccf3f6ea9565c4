// NumPy arrays: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#include "io/npy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "io/numbers.h"

namespace strc::io {

using base::Diag;
using base::Failure;
using base::Result;
using base::Status;
using types::Type;
using types::TypeKind;

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kLongestHeader = 1 << 16;
constexpr std::size_t kMostDimensions = 64;
constexpr std::size_t kAlignment = 64;

using Element = NpyElement;
using Header = NpyHeader;

// ---------------------------------------------------------------- header

/// The header is the text of a Python dict: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class HeaderParser {
public:
    explicit HeaderParser(std::string_view header) : text(header) {}

    /// Empty: fine. Else why not.
    std::string parse(Header& header) {
        if (!eat('{')) return "its header is not a dictionary";
        while (!eat('}')) {
            std::string_view key = quoted();
            if (key.empty() || !eat(':')) return "its header is not a dictionary";
            std::string fault = key == "descr"           ? descr(header.element)
                                : key == "fortran_order" ? order()
                                : key == "shape"
                                    ? shape(header)
                                    : fmt::format("its header has the unknown entry '{}'", key);
            if (!fault.empty()) return fault;
            if (!eat(',') && !(blanks(), text.starts_with('}')))
                return "its header is not a dictionary";
        }
        if (header.element.kind == 0 || !haveShape || !haveOrder)
            return "its header is not complete";
        if (fortran && longSides > 1)
            return "it is in Fortran order; save numpy.ascontiguousarray(a) instead";
        return {};
    }

private:
    void blanks() { text.remove_prefix(std::min(text.size(), text.find_first_not_of(" \t\n\r"))); }

    bool eat(char c) {
        blanks();
        if (!text.starts_with(c)) return false;
        text.remove_prefix(1);
        return true;
    }

    std::string_view quoted() {
        blanks();
        if (text.empty() || (text[0] != '\'' && text[0] != '"')) return {};
        std::size_t end = text.find(text[0], 1);
        if (end == std::string_view::npos) return {};
        std::string_view word = text.substr(1, end - 1);
        text.remove_prefix(end + 1);
        return word;
    }

    std::string descr(Element& element) {
        if (blanks(), text.starts_with('[')) return "its elements are records";
        std::string_view code = quoted();
        std::string refused = fmt::format("its elements are of type '{}'", code);
        if (code.empty()) return "its header has no element type";
        std::string_view rest = code;
        if (std::string_view("<>=|").find(rest[0]) != std::string_view::npos) {
            element.bigEndian = rest[0] == '>';
            rest.remove_prefix(1);
        }
        if (rest == "?") rest = "b1";
        if (rest.empty()) return refused;
        element.kind = rest[0];
        auto [end, error] =
            std::from_chars(rest.data() + 1, rest.data() + rest.size(), element.size);
        if (error != std::errc() || end != rest.data() + rest.size()) return refused;
        static constexpr std::array kKnown{"b1", "i1", "i2", "i4", "i8", "u1", "u2",
                                           "u4", "u8", "f2", "f4", "f8", "c8", "c16"};
        bool known = std::find(kKnown.begin(), kKnown.end(),
                               fmt::format("{}{}", element.kind, element.size)) != kKnown.end();
        return known ? std::string() : refused;
    }

    std::string order() {
        blanks();
        fortran = text.starts_with("True");
        if (!fortran && !text.starts_with("False")) return "its header does not tell the order";
        text.remove_prefix(fortran ? 4 : 5);
        haveOrder = true;
        return {};
    }

    std::string shape(Header& header) {
        if (!eat('(')) return "its header has no shape";
        for (std::size_t dimensions = 0; !eat(')'); ++dimensions) {
            std::uint64_t extent = 0;
            auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
            if (error != std::errc() || dimensions == kMostDimensions)
                return "its header has no valid shape";
            text.remove_prefix(static_cast<std::size_t>(end - text.data()));
            if (text.starts_with('L')) text.remove_prefix(1);  // Python 2
            if (!eat(',') && !text.starts_with(')')) return "its header has no valid shape";
            if (extent > INT64_MAX || __builtin_mul_overflow(header.count, extent, &header.count))
                return "its header has no valid shape";
            header.dims.push_back(static_cast<std::int64_t>(extent));
            longSides += extent > 1;
        }
        haveShape = true;
        return {};
    }

    std::string_view text;
    bool haveShape = false;
    bool haveOrder = false;
    bool fortran = false;
    std::size_t longSides = 0;
};

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
    if (length > kLongestHeader) return wrong("its header is too long");
    bytes = source.ask(prefix + length);
    if (!bytes) return bytes.failure();
    if (bytes->size() < prefix + length) return wrong("it ends in its header");
    Header header;
    header.start = prefix + length;
    std::string text(reinterpret_cast<const char*>(bytes->data()) + prefix, length);
    std::string fault = HeaderParser(text).parse(header);
    if (!fault.empty()) return wrong(fault);
    source.take(prefix + length);
    return header;
}

namespace {

// ---------------------------------------------------------------- reading

double halfToDouble(std::uint16_t bits) {
    int exponent = bits >> 10 & 31;
    int fraction = bits & 1023;
    double size = exponent == 31  ? (fraction == 0 ? HUGE_VAL : NAN)
                  : exponent == 0 ? std::ldexp(fraction, -24)
                                  : std::ldexp(1024 + fraction, exponent - 25);
    return bits & 0x8000 ? -size : size;
}

double realOf(const std::byte* from, std::size_t size) {
    if (size == 8) return load(TypeKind::Double, from).real;
    if (size == 4) return load(TypeKind::Float, from).real;
    std::uint16_t half = 0;
    std::memcpy(&half, from, sizeof half);
    return halfToDouble(half);
}

class NpyReader : public NumberReader {
public:
    NpyReader(std::unique_ptr<Source> opened, const Header& about, Numbers kind)
        : NumberReader(std::move(opened), kind), header(about), left(about.count) {
        TypeKind same = header.element.kind == 'i'   ? TypeKind::Int
                        : header.element.kind == 'c' ? TypeKind::Complex
                        : header.element.size == 8   ? TypeKind::Double
                                                     : TypeKind::Float;
        plain = !header.element.bigEndian &&
                std::string_view("ifc").find(header.element.kind) != std::string_view::npos &&
                same == item.kind && header.element.size == item.size;
    }

    bool rewind() override {
        if (!source->seek(header.start)) return false;
        left = header.count;
        forgetPart();
        return true;
    }

    std::optional<std::uint64_t> total() const override { return header.count / item.count; }

protected:
    Result<std::size_t> readNumbers(std::byte* to, std::size_t count) override {
        if (left == 0) return std::size_t{0};
        const std::size_t size = header.element.size;
        auto bytes = source->ask(size);
        if (!bytes) return bytes.failure();
        std::size_t numbers = std::min<std::uint64_t>({count, bytes->size() / size, left});
        if (numbers == 0 && source->interrupted()) return numbers;
        if (numbers == 0)
            return source->malformed(name(Format::Npy),
                                     fmt::format("it ends {} elements too early", left));
        if (plain) std::memcpy(to, bytes->data(), numbers * size);
        for (std::size_t i = 0; !plain && i < numbers; ++i) {
            if (store(element(bytes->data() + i * size), item.kind, to + i * item.size)) continue;
            if (i > 0) {  // those before it come first
                numbers = i;
                break;
            }
            std::uint64_t index = header.count - left + i;
            return source->malformed(
                name(Format::Npy),
                fmt::format("element {} does not fit the type of the items", index));
        }
        source->take(numbers * size);
        left -= numbers;
        return numbers;
    }

private:
    Number element(const std::byte* from) const {
        const auto& [kind, size, bigEndian] = header.element;
        std::array<std::byte, 16> bytes{};
        std::memcpy(bytes.data(), from, size);
        std::size_t part = kind == 'c' ? size / 2 : size;
        if (bigEndian)
            for (std::size_t at = 0; at < size; at += part)
                std::reverse(&bytes[at], &bytes[at] + part);
        if (kind == 'f') return ofReal(realOf(bytes.data(), size));
        if (kind == 'c') return {realOf(bytes.data(), part), realOf(&bytes[part], part), 0, false};
        std::uint64_t integer = 0;
        std::memcpy(&integer, bytes.data(), size);
        if (kind == 'b') return ofInteger(integer != 0);
        auto unused = static_cast<int>(64 - 8 * size);
        if (kind == 'i') return ofInteger(static_cast<std::int64_t>(integer << unused) >> unused);
        return {static_cast<double>(integer), 0,
                static_cast<std::int64_t>(std::min<std::uint64_t>(integer, INT64_MAX)), true};
    }

    Header header;
    std::uint64_t left;
    bool plain = false;
};

// ---------------------------------------------------------------- writing

std::string_view descrOf(TypeKind kind) {
    switch (kind) {
        case TypeKind::Boolean: return "|b1";
        case TypeKind::Bit: return "|u1";
        case TypeKind::Int: return "<i4";
        case TypeKind::Double: return "<f8";
        case TypeKind::Complex: return "<c8";
        default: return "<f4";
    }
}

/// The array's first extent is the number of items, which is known at the end: into a file the header
/// is written again, for a pipe everything is kept until then.
class NpyWriter : public SinkWriter {
public:
    NpyWriter(std::unique_ptr<Sink> opened, const Type* type, Numbers kind)
        : SinkWriter(std::move(opened)), item(kind), itemSize(item.size * item.count) {
        for (; type->is(TypeKind::Array); type = type->element)
            inner += fmt::format(", {}", type->extent);
        if (type->isVector()) inner += fmt::format(", {}", type->components());
    }

    Status begin() {
        std::string text = header();
        return sink->seekable() ? sink->write(text.data(), text.size()) : base::ok();
    }

    Status write(const std::byte* from, std::size_t count) override {
        items += count;
        if (sink->seekable()) return sink->write(from, count * itemSize);
        kept.insert(kept.end(), from, from + count * itemSize);
        return base::ok();
    }

    Status flush() override {
        if (!sink->seekable()) return base::ok();
        Status flushed = sink->flush();
        std::string text = header();
        return flushed ? sink->overwrite(0, text.data(), text.size()) : flushed;
    }

    Status close() override {
        Status written = flush();
        if (sink->failed()) {
            items = sink->cutToItems(header().size(), itemSize);
            (void)flush();
        } else if (!sink->seekable()) {
            std::string text = header();
            written = sink->write(text.data(), text.size());
            if (written) written = sink->write(kept.data(), kept.size());
        }
        Status closed = sink->close();
        return written ? closed : written;
    }

private:
    /// Of the same length whatever the number of items.
    std::string header() const {
        const std::string shape =
            inner.empty() ? fmt::format("({},)", items) : fmt::format("({}{})", items, inner);
        return npyHeader(descrOf(item.kind), shape,
                         shape.size() + kMostDigits - std::to_string(items).size());
    }

    Numbers item;
    std::size_t itemSize;
    std::string inner;  ///< ", 3, 4" of items that are arrays
    std::uint64_t items = 0;
    std::vector<std::byte> kept;
};

}  // namespace

std::string npyHeader(std::string_view descr, std::string_view shape, std::size_t longest) {
    std::string dict =
        fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", descr, shape);
    constexpr std::size_t prefix = 10;
    const std::size_t most = prefix + dict.size() - shape.size() + longest;
    const std::size_t length = (most + kAlignment) / kAlignment * kAlignment - prefix;
    dict.append(length - dict.size() - 1, ' ');
    dict += '\n';
    std::string text(kMagic);
    text += {'\x01', '\x00', static_cast<char>(length & 0xff), static_cast<char>(length >> 8)};
    return text + dict;
}

Result<std::unique_ptr<ItemReader>> openNpyReader(std::unique_ptr<Source> source,
                                                  const Type* item) {
    Result<Header> header = readNpyHeader(*source);
    if (!header) return header.failure();
    std::uint64_t present = source->size() ? *source->size() - header->start : UINT64_MAX;
    if (header->count > present / header->element.size)
        return source->malformed(name(Format::Npy), "it is shorter than its header says");
    Numbers numbers = *numbersOf(item);
    if (header->element.kind == 'c' && numbers.kind != TypeKind::Complex)
        return source->malformed(name(Format::Npy),
                                 "its elements are complex numbers, the items are not");
    return std::make_unique<NpyReader>(std::move(source), *header, numbers);
}

Result<std::unique_ptr<ItemWriter>> openNpyWriter(std::unique_ptr<Sink> sink, const Type* item,
                                                  const StreamInfo&) {
    auto writer = std::make_unique<NpyWriter>(std::move(sink), item, *numbersOf(item));
    Status begun = writer->begin();
    if (!begun) return begun.failure();
    return writer;
}

}  // namespace strc::io
