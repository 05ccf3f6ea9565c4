// Tensors in NumPy's files.
#include <algorithm>

#include <fmt/format.h>

#include "io/detail/npy.h"
#include "io/detail/tensor_files.h"
#include "types/tensor_elements.h"

namespace strc::io {

using base::Result;
using base::Status;
using types::Type;
using types::TypeKind;

namespace {

struct ElementRow {
    TypeKind kind;
    std::string_view descr;
};
constexpr ElementRow kElements[] = {
    {TypeKind::Boolean, "|b1"}, {TypeKind::Int8, "|i1"}, {TypeKind::Int, "<i4"},
    {TypeKind::Long, "<i8"},    {TypeKind::Half, "<f2"}, {TypeKind::Float, "<f4"},
    {TypeKind::Double, "<f8"},
};

/// Null: there is none.
template <typename Is>
const ElementRow* findRow(Is is) {
    const auto* found = std::find_if(std::begin(kElements), std::end(kElements), is);
    return found == std::end(kElements) ? nullptr : found;
}

class NpySink : public TensorSink {
public:
    NpySink(std::unique_ptr<Sink> opened, const Type* item, std::string_view descr)
        : sink(std::move(opened)), type(item), descr(descr) {}

    Status begin() {
        const std::string text = sink->seekable() ? header() : std::string();
        return sink->write(text.data(), text.size());
    }

    Status write(const std::byte* from, const Type* item) override {
        ++count;
        const std::vector<std::byte> bytes = outside(item, from);
        if (sink->seekable()) return sink->write(bytes.data(), bytes.size());
        kept.insert(kept.end(), bytes.begin(), bytes.end());
        return base::ok();
    }

    Status flush() override {
        if (!sink->seekable()) return base::ok();
        Status flushed = sink->flush();
        const std::string text = header();
        return flushed ? sink->overwrite(0, text.data(), text.size()) : flushed;
    }

    Status close() override {
        Status written = flush();
        if (sink->failed()) {
            const std::uint64_t size = types::bytesOutside(type->element->kind) *
                                       static_cast<std::uint64_t>(types::countElements(type));
            count = sink->cutToItems(header().size(), size);
            (void)flush();
        } else if (!sink->seekable()) {
            const std::string text = header();
            written = sink->write(text.data(), text.size());
            if (written) written = sink->write(kept.data(), kept.size());
        }
        Status closed = sink->close();
        return written ? closed : written;
    }

    bool readerGone() const override { return sink->readerGone(); }

private:
    /// Of the same length for any number of tensors.
    std::string header() const {
        std::string dims;
        for (std::int64_t extent : type->dims) dims += fmt::format(", {}", extent);
        const std::string stacked = fmt::format("({}{})", count, dims.empty() ? "," : dims);
        const std::string single =
            dims.empty() ? "()"
                         : fmt::format("({}{})", dims.substr(2), type->dims.size() == 1 ? "," : "");
        return npyHeader(descr, count == 1 ? single : stacked, dims.size() + kMostDigits + 3);
    }

    std::unique_ptr<Sink> sink;
    const Type* type;
    std::string_view descr;
    std::uint64_t count = 0;
    std::vector<std::byte> kept;
};

}  // namespace

Result<std::unique_ptr<TensorSource>> openNpySource(const TensorFile& file,
                                                    const Waiting& beforeWaiting) {
    auto source = Source::open(file.name, beforeWaiting);
    if (!source) return source.failure();
    if ((*source)->size() == 0u) return base::failure(base::Diag::EmptyInput, {(*source)->name()});
    Result<NpyHeader> header = readNpyHeader(**source);
    if (!header) return header.failure();
    const NpyElement& element = header->element;
    const std::string code = fmt::format("{}{}", element.kind, element.size);
    const ElementRow* row =
        findRow([&](const ElementRow& each) { return each.descr.substr(1) == code; });
    if (!row)
        return (*source)->malformed(
            io::name(Format::Npy),
            fmt::format("its elements are of type '{}', which no tensor has", code));
    std::optional<std::uint64_t> size = (*source)->size();
    if (size && header->count > (*size - header->start) / element.size)
        return (*source)->malformed(io::name(Format::Npy), "it is shorter than its header says");
    return sourceOf({std::move(*source), Format::Npy, element.bigEndian, header->start}, row->kind,
                    std::move(header->dims));
}

SinkOfTensors openNpySink(const std::string& file, const Type* item) {
    const ElementRow* row =
        item ? findRow([&](const ElementRow& each) { return each.kind == item->element->kind; })
             : nullptr;
    if (!row)
        return base::failure(base::Diag::FormatItemType,
                             {std::string(io::name(Format::Npy)),
                              item ? types::toString(item) : "several types of tensors"});
    auto sink = Sink::open(file);
    if (!sink) return sink.failure();
    auto made = std::make_unique<NpySink>(std::move(*sink), item, row->descr);
    if (Status begun = made->begin(); !begun) return begun.failure();
    return made;
}

}  // namespace strc::io
