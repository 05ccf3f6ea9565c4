// Tensors whose elements lie one behind the other in a file; and texts of tensors.
#include "io/detail/tensor_files.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "types/tensor_elements.h"
#include "types/tensor_text.h"

namespace strc::io {

using base::Result;
using base::Status;
using types::Type;
using types::TypeKind;

namespace {

class StoredSource : public TensorSource {
public:
    StoredSource(StoredElements about, TypeKind element, std::vector<std::int64_t> dims)
        : stored(std::move(about)), size(types::bytesOutside(element)) {
        kind = element;
        extents = std::move(dims);
        for (std::int64_t extent : extents) left *= static_cast<std::uint64_t>(extent);
        all = left;
    }

    const std::string& name() const override { return stored.source->name(); }

    Result<bool> read(std::size_t count, std::byte* to) override {
        const std::size_t bytes = count * size;
        std::byte* memory = to;
        if (types::isWidened(kind)) to += count * sizeof(std::int32_t) - bytes;
        for (std::size_t have = 0; have < bytes;) {
            auto there = stored.source->ask(1);
            if (!there) return there.failure();
            if (there->empty() && stored.source->interrupted()) return false;
            if (there->empty())
                return stored.source->malformed(
                    io::name(stored.format),
                    fmt::format("it ends {} elements too early", left - have / size));
            const std::size_t part = std::min(there->size(), bytes - have);
            std::memcpy(to + have, there->data(), part);
            stored.source->take(part);
            have += part;
        }
        left -= count;
        if (stored.bigEndian)
            for (std::size_t at = 0; at < bytes; at += size) std::reverse(to + at, to + at + size);
        if (types::isWidened(kind)) types::widen(kind, count, memory, to);
        if (kind == TypeKind::Boolean)
            std::for_each(to, to + bytes, [](std::byte& each) {
                each = each == std::byte{0} ? std::byte{0} : std::byte{1};
            });
        return true;
    }

    bool rewind() override {
        left = all;
        return stored.source->seek(stored.start);
    }
    bool wouldWait() const override {
        return stored.source->buffered().empty() && !stored.source->size();
    }

private:
    StoredElements stored;
    std::size_t size;
    std::uint64_t all = 1, left = 1;
};

class TextSink : public TensorSink {
public:
    explicit TextSink(std::unique_ptr<Sink> opened) : sink(std::move(opened)) {}

    Status write(const std::byte* from, const Type* item) override {
        const std::string text = types::toString(item, from) + "\n";
        return sink->write(text.data(), text.size());
    }
    Status flush() override { return sink->flush(); }
    Status close() override { return sink->closeLines(); }
    bool readerGone() const override { return sink->readerGone(); }

private:
    std::unique_ptr<Sink> sink;
};

}  // namespace

std::unique_ptr<TensorSource> sourceOf(StoredElements stored, TypeKind element,
                                       std::vector<std::int64_t> dims) {
    return std::make_unique<StoredSource>(std::move(stored), element, std::move(dims));
}

SinkOfTensors openTextSink(const std::string& file) {
    auto sink = Sink::open(file);
    if (!sink) return sink.failure();
    return std::make_unique<TextSink>(std::move(*sink));
}

std::vector<std::byte> outside(const Type* tensor, const std::byte* from) {
    const TypeKind element = tensor->element->kind;
    const auto count = static_cast<std::size_t>(types::countElements(tensor));
    const std::size_t bytes = count * types::bytesOutside(element);
    if (!types::isWidened(element)) return {from, from + bytes};
    std::vector<std::byte> to(bytes);
    types::narrow(element, count, to.data(), from);
    return to;
}

}  // namespace strc::io
