// Raw words without a header: language.md 17.2.
#include <algorithm>
#include <bit>
#include <cstring>

#include "io/numbers.h"

namespace strc::io {

using base::Result;
using base::Status;
using types::Type;
using types::TypeKind;

static_assert(std::endian::native == std::endian::little,
              "raw files are copied as they lie in memory");

namespace {

constexpr std::size_t kBitWord = 4;  ///< a bit inside of an item

/// Bytes in the file; 0: there is no such item in files.
std::size_t fileSize(const Type* type) {
    switch (type->kind) {
        case TypeKind::Bit: return kBitWord;
        case TypeKind::Boolean:
        case TypeKind::Int:
        case TypeKind::Long:
        case TypeKind::Float:
        case TypeKind::Double:
        case TypeKind::Complex:
        case TypeKind::Float2:
        case TypeKind::Float3:
        case TypeKind::Float4: return static_cast<std::size_t>(types::sizeOf(type));
        case TypeKind::Array:
            return static_cast<std::size_t>(type->extent) * fileSize(type->element);
        case TypeKind::Struct: {
            std::size_t sum = 0;
            for (const types::StructField& field : type->structure->fields) {
                std::size_t size = fileSize(field.type);
                if (size == 0) return 0;
                sum += size;
            }
            return sum;
        }
        default: return 0;
    }
}

/// Do the bytes lie in the file as in memory, whatever they are?
bool isPlain(const Type* type) {
    switch (type->kind) {
        case TypeKind::Bit:
        case TypeKind::Boolean: return false;
        case TypeKind::Array: return isPlain(type->element);
        case TypeKind::Struct:
            for (const types::StructField& field : type->structure->fields)
                if (!isPlain(field.type)) return false;
            return fileSize(type) == static_cast<std::size_t>(types::sizeOf(type));
        default: return true;
    }
}

void decode(const Type* type, const std::byte*& from, std::byte* to) {
    std::size_t size = fileSize(type);
    if (isPlain(type)) {
        std::memcpy(to, from, size);
        from += size;
    } else if (type->is(TypeKind::Array)) {
        auto step = static_cast<std::size_t>(types::sizeOf(type->element));
        for (std::int64_t i = 0; i < type->extent; ++i, to += step) decode(type->element, from, to);
    } else if (type->is(TypeKind::Struct)) {
        std::memset(to, 0, static_cast<std::size_t>(types::sizeOf(type)));
        for (const types::StructField& field : type->structure->fields)
            decode(field.type, from, to + field.offset);
    } else {
        bool set =
            std::any_of(from, from + size, [](std::byte byte) { return byte != std::byte{0}; });
        *to = std::byte{set};
        from += size;
    }
}

void encode(const Type* type, const std::byte* from, std::byte*& to) {
    std::size_t size = fileSize(type);
    if (isPlain(type)) {
        std::memcpy(to, from, size);
        to += size;
    } else if (type->is(TypeKind::Array)) {
        auto step = static_cast<std::size_t>(types::sizeOf(type->element));
        for (std::int64_t i = 0; i < type->extent; ++i, from += step)
            encode(type->element, from, to);
    } else if (type->is(TypeKind::Struct)) {
        for (const types::StructField& field : type->structure->fields)
            encode(field.type, from + field.offset, to);
    } else {
        std::memset(to, 0, size);
        *to = *from;
        to += size;
    }
}

// ---------------------------------------------------------------- readers

class RawReader : public ItemReader {
public:
    RawReader(std::unique_ptr<Source> opened, const Type* type)
        : source(std::move(opened)), item(type), size(fileSize(type)), plain(isPlain(type)) {}

    Result<std::size_t> read(std::byte* to, std::size_t count) override {
        auto bytes = source->ask(size);
        if (!bytes) return bytes.failure();
        std::size_t items = std::min(count, bytes->size() / size);
        if (plain) {
            std::memcpy(to, bytes->data(), items * size);
        } else {
            const std::byte* from = bytes->data();
            auto step = static_cast<std::size_t>(types::sizeOf(item));
            for (std::size_t i = 0; i < items; ++i) decode(item, from, to + i * step);
        }
        source->take(items * size);
        if (items == 0 && !any) return noItems(*source);
        any = true;
        return items;
    }

    bool rewind() override { return source->seek(0); }

    std::optional<std::uint64_t> total() const override {
        if (!source->size()) return std::nullopt;
        return *source->size() / size;
    }

    Rest rest() const override {
        if (source->size()) return {*source->size() % size, size, true};
        return {source->atEnd() ? source->buffered().size() % size : 0, size, true};
    }

private:
    std::unique_ptr<Source> source;
    const Type* item;
    std::size_t size;
    bool plain;
    bool any = false;
};

/// Items of type `bit`: eight a byte, the most significant first.
class BitReader : public ItemReader {
public:
    explicit BitReader(std::unique_ptr<Source> opened) : source(std::move(opened)) {}

    Result<std::size_t> read(std::byte* to, std::size_t count) override {
        auto bytes = source->ask(1);
        if (!bytes) return bytes.failure();
        std::size_t items = std::min(count, bytes->size() * 8 - offset);
        if (items == 0) {
            if (count > 0 && !any) return noItems(*source);
            return items;
        }
        any = true;
        std::size_t first = std::exchange(offset, (offset + items) % 8);
        for (std::size_t i = 0; i < items; ++i) {
            std::size_t at = first + i;
            to[i] = ((*bytes)[at / 8] >> (7 - at % 8)) & std::byte{1};
        }
        source->take((first + items) / 8);
        return items;
    }

    bool rewind() override {
        offset = 0;
        return source->seek(0);
    }

    std::optional<std::uint64_t> total() const override {
        if (!source->size()) return std::nullopt;
        return *source->size() * 8;
    }

private:
    std::unique_ptr<Source> source;
    std::size_t offset = 0;  ///< bits taken of the first byte buffered
    bool any = false;
};

// ---------------------------------------------------------------- writers

class RawWriter : public SinkWriter {
public:
    RawWriter(std::unique_ptr<Sink> opened, const Type* type)
        : SinkWriter(std::move(opened)), item(type), plain(isPlain(type)), bytes(fileSize(type)) {}

    Status write(const std::byte* from, std::size_t count) override {
        if (plain) return sink->write(from, count * bytes.size());
        auto step = static_cast<std::size_t>(types::sizeOf(item));
        for (std::size_t i = 0; i < count; ++i) {
            std::byte* to = bytes.data();
            encode(item, from + i * step, to);
            Status written = sink->write(bytes.data(), bytes.size());
            if (!written) return written;
        }
        return base::ok();
    }

    Status close() override { return sink->closeItems(bytes.size()); }

private:
    const Type* item;
    bool plain;
    std::vector<std::byte> bytes;  ///< one item as it lies in the file
};

class BitWriter : public SinkWriter {
public:
    using SinkWriter::SinkWriter;

    Status write(const std::byte* from, std::size_t count) override {
        for (std::size_t i = 0; i < count; ++i) {
            byte = static_cast<std::uint8_t>(byte << 1 | static_cast<std::uint8_t>(from[i]));
            if (++used < 8) continue;
            Status written = sink->write(&byte, 1);
            if (!written) return written;
            used = 0;
        }
        return base::ok();
    }

    Status close() override {
        Status written = base::ok();
        if (used > 0) {
            byte = static_cast<std::uint8_t>(byte << (8 - used));
            written = sink->write(&byte, 1);
        }
        Status closed = sink->close();
        return written ? closed : written;
    }

private:
    std::uint8_t byte = 0;
    int used = 0;
};

}  // namespace

bool holdsRaw(const Type* item) { return fileSize(item) > 0; }

Result<std::unique_ptr<ItemReader>> openRawReader(std::unique_ptr<Source> source,
                                                  const Type* item) {
    if (item->is(TypeKind::Bit)) return std::make_unique<BitReader>(std::move(source));
    return std::make_unique<RawReader>(std::move(source), item);
}

Result<std::unique_ptr<ItemWriter>> openRawWriter(std::unique_ptr<Sink> sink, const Type* item,
                                                  const StreamInfo&) {
    if (item->is(TypeKind::Bit)) return std::make_unique<BitWriter>(std::move(sink));
    return std::make_unique<RawWriter>(std::move(sink), item);
}

}  // namespace strc::io
