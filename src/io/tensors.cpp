#include "io/tensors.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include <fmt/format.h>

#include "io/npy.h"
#include "types/tensor_elements.h"
#include "types/tensor_text.h"

namespace strc::io {

using base::Diag;
using base::Result;
using base::Status;
using types::Type;
using types::TypeKind;

namespace {

struct ElementRow {
    TypeKind kind;
    std::string_view name;
    std::string_view descr;
};
constexpr ElementRow kElements[] = {
    {TypeKind::Boolean, "boolean", "|b1"}, {TypeKind::Int8, "int8", "|i1"},
    {TypeKind::Int, "int", "<i4"},         {TypeKind::Long, "long", "<i8"},
    {TypeKind::Half, "half", "<f2"},       {TypeKind::Float, "float", "<f4"},
    {TypeKind::Double, "double", "<f8"},
};

/// Null: tensors have no such elements.
const ElementRow* rowOf(const NpyElement& element) {
    const std::string code = fmt::format("{}{}", element.kind, element.size);
    const auto* found =
        std::find_if(std::begin(kElements), std::end(kElements),
                     [&](const ElementRow& row) { return row.descr.substr(1) == code; });
    return found == std::end(kElements) ? nullptr : found;
}

/// Null: files have no such elements.
const ElementRow* rowOf(const Type* element) {
    const auto* found =
        std::find_if(std::begin(kElements), std::end(kElements),
                     [&](const ElementRow& row) { return row.kind == element->kind; });
    return found == std::end(kElements) ? nullptr : found;
}

std::size_t bytesInFile(const Type* tensor) {
    return types::bytesOutside(tensor->element->kind) *
           static_cast<std::size_t>(types::countElements(tensor));
}

std::vector<std::byte> narrowed(const Type* tensor, const std::byte* from) {
    std::vector<std::byte> to(bytesInFile(tensor));
    types::narrow(tensor->element->kind, static_cast<std::size_t>(types::countElements(tensor)),
                  to.data(), from);
    return to;
}

std::string shapeText(const NpyHeader& header, const ElementRow& row) {
    std::string text;
    for (std::int64_t extent : header.dims)
        text += (text.empty() ? "" : ", ") + std::to_string(extent);
    return fmt::format("tensor<{}>[{}]", row.name, text);
}

struct Opened {
    std::unique_ptr<Source> source;
    NpyHeader header;
    const ElementRow* element = nullptr;
};

Result<Opened> openFile(const std::string& name, std::function<void()> beforeWaiting) {
    auto source = Source::open(name, std::move(beforeWaiting));
    if (!source) return source.failure();
    if ((*source)->size() == 0u) return base::failure(Diag::EmptyInput, {(*source)->name()});
    Result<NpyHeader> header = readNpyHeader(**source);
    if (!header) return header.failure();
    const ElementRow* element = rowOf(header->element);
    if (!element)
        return (*source)->malformed(
            io::name(Format::Npy),
            fmt::format("its elements are of type '{}{}', which no tensor has",
                        header->element.kind, header->element.size));
    std::optional<std::uint64_t> size = (*source)->size();
    if (size && header->count > (*size - header->start) / header->element.size)
        return (*source)->malformed(io::name(Format::Npy), "it is shorter than its header says");
    return Opened{std::move(*source), std::move(*header), element};
}

// ---------------------------------------------------------------- what takes turns

/// Of the items at `place`, `place + step`, … of a sequence: the type of all, or null if they differ.
const Type* commonType(const std::vector<const Type*>& types, std::size_t place, std::size_t step) {
    const std::size_t length = std::lcm(types.size(), step);
    for (std::size_t k = place; k < length; k += step)
        if (types[k % types.size()] != types[place % types.size()]) return nullptr;
    return types[place % types.size()];
}

Status areNumbers(const std::vector<TensorFile>& files, const TensorItems& items) {
    if (files.size() == 1 && holdsNumbers(files[0].format, items)) return base::ok();
    return base::failure(Diag::FormatItemType,
                         {std::string(io::name(files[0].format)), allOf(items.types)});
}

// ---------------------------------------------------------------- reading

class TensorReader : public ItemReader {
public:
    TensorReader(std::vector<Opened> opened, const TensorItems& about)
        : items(about), size(static_cast<std::size_t>(types::sizeOf(about.memory))) {
        for (Opened& file : opened) {
            const std::size_t place = files.size();
            const Type* type = items.types[place % items.types.size()];
            const std::size_t extra = file.header.dims.size() - type->dims.size();
            const auto count =
                extra == 0 ? 1 : static_cast<std::uint64_t>(file.header.dims.front());
            files.push_back({std::move(file.source), std::move(file.header), type, count, count,
                             types::offsetIn(items.memory, type)});
        }
    }

    Result<std::size_t> read(std::byte* to, std::size_t count) override {
        for (std::size_t done = 0; done < count; ++done) {
            File& file = files[next];
            if (file.left == 0) return done;
            const bool wouldWait = file.source->buffered().empty() && !file.source->size();
            if (done > 0 && wouldWait) return done;
            Result<bool> read = readItem(file, to + done * size);
            if (!read) return read.failure();
            if (!*read) return done;
            next = (next + 1) % files.size();
        }
        return count;
    }

    bool rewind() override {
        for (File& file : files) {
            if (!file.source->seek(file.header.start)) return false;
            file.left = file.count;
        }
        next = 0;
        return true;
    }

    std::optional<std::uint64_t> total() const override {
        std::uint64_t least = UINT64_MAX;
        for (std::size_t k = 0; k < files.size(); ++k)
            least = std::min<std::uint64_t>(least, files[k].count * files.size() + k);
        return least;
    }

private:
    struct File {
        std::unique_ptr<Source> source;
        NpyHeader header;
        const Type* type;
        std::uint64_t count, left;  ///< tensors
        std::int64_t offset;  ///< in the item
    };

    /// False: a signal came.
    Result<bool> readItem(File& file, std::byte* to) {
        const std::size_t bytes = bytesInFile(file.type);
        const std::size_t element = file.header.element.size;
        std::memset(to, 0, size);
        std::byte* memory = to + file.offset;
        to = memory + (static_cast<std::size_t>(types::bytesInMemory(file.type)) - bytes);
        for (std::size_t have = 0; have < bytes;) {
            auto there = file.source->ask(1);
            if (!there) return there.failure();
            if (there->empty() && file.source->interrupted()) return false;
            if (there->empty())
                return file.source->malformed(
                    io::name(Format::Npy),
                    fmt::format("it ends {} elements too early",
                                (file.left * bytes - have + element - 1) / element));
            const std::size_t part = std::min(there->size(), bytes - have);
            std::memcpy(to + have, there->data(), part);
            file.source->take(part);
            have += part;
        }
        if (file.header.element.bigEndian)
            for (std::size_t at = 0; at < bytes; at += element)
                std::reverse(to + at, to + at + element);
        if (memory != to)
            types::widen(file.type->element->kind,
                         static_cast<std::size_t>(types::countElements(file.type)), memory, to);
        --file.left;
        return true;
    }

    TensorItems items;
    std::size_t size;
    std::vector<File> files;
    std::size_t next = 0;
};

// ---------------------------------------------------------------- writing

/// One file, which gets tensors of one type or, if it is a text, of any.
class TensorSink {
public:
    TensorSink(std::unique_ptr<Sink> opened, Format format, const Type* type)
        : sink(std::move(opened)), isText(format == Format::Csv), type(type) {}

    Status begin() {
        const std::string text = isText || !sink->seekable() ? std::string() : header();
        return sink->write(text.data(), text.size());
    }

    Status write(const std::byte* from, const Type* item) {
        ++count;
        if (isText) {
            const std::string text = types::toString(item, from) + "\n";
            return sink->write(text.data(), text.size());
        }
        const std::size_t bytes = bytesInFile(item);
        std::vector<std::byte> narrow;
        if (types::isWidened(item->element->kind)) {
            narrow = narrowed(item, from);
            from = narrow.data();
        }
        if (sink->seekable()) return sink->write(from, bytes);
        kept.insert(kept.end(), from, from + bytes);
        return base::ok();
    }

    Status flush() {
        if (isText) return sink->flush();
        if (!sink->seekable()) return base::ok();
        Status flushed = sink->flush();
        const std::string text = header();
        return flushed ? sink->overwrite(0, text.data(), text.size()) : flushed;
    }

    Status close() {
        Status written = flush();
        if (!isText && !sink->seekable()) {
            const std::string text = header();
            written = sink->write(text.data(), text.size());
            if (written) written = sink->write(kept.data(), kept.size());
        }
        Status closed = sink->close();
        return written ? closed : written;
    }

    bool readerGone() const { return sink->readerGone(); }

private:
    /// Of the same length for any number of tensors.
    std::string header() const {
        std::string dims;
        for (std::int64_t extent : type->dims) dims += fmt::format(", {}", extent);
        const std::string stacked = fmt::format("({}{})", count, dims.empty() ? "," : dims);
        const std::string single =
            dims.empty() ? "()"
                         : fmt::format("({}{})", dims.substr(2), type->dims.size() == 1 ? "," : "");
        return npyHeader(rowOf(type->element)->descr, count == 1 ? single : stacked,
                         dims.size() + kMostDigits + 3);
    }

    std::unique_ptr<Sink> sink;
    bool isText;
    const Type* type;
    std::uint64_t count = 0;
    std::vector<std::byte> kept;
};

class TensorWriter : public ItemWriter {
public:
    TensorWriter(std::vector<TensorSink> opened, const TensorItems& about)
        : items(about),
          size(static_cast<std::size_t>(types::sizeOf(about.memory))),
          files(std::move(opened)) {}

    Status write(const std::byte* from, std::size_t count) override {
        for (std::size_t k = 0; k < count; ++k, ++written) {
            const Type* type = items.types[written % items.types.size()];
            const std::byte* item = from + k * size + types::offsetIn(items.memory, type);
            Status status = files[written % files.size()].write(item, type);
            if (!status) return status;
        }
        return base::ok();
    }

    Status flush() override {
        return forEach([](TensorSink& file) { return file.flush(); });
    }
    Status close() override {
        return forEach([](TensorSink& file) { return file.close(); });
    }
    bool readerGone() const override {
        return std::any_of(files.begin(), files.end(),
                           [](const TensorSink& file) { return file.readerGone(); });
    }

private:
    /// The first failure counts.
    template <typename Do>
    Status forEach(Do act) {
        Status result = base::ok();
        for (TensorSink& file : files) {
            Status status = act(file);
            if (result) result = std::move(status);
        }
        return result;
    }

    TensorItems items;
    std::size_t size;
    std::vector<TensorSink> files;
    std::size_t written = 0;
};

}  // namespace

std::string allOf(const std::vector<const Type*>& types) {
    std::string text;
    for (const Type* type : types) text += (text.empty() ? "" : ", ") + types::toString(type);
    return text;
}

bool holdsNumbers(Format format, const TensorItems& items) {
    const TypeKind kind = items.types[0]->element->kind;
    const bool isSame = types::bytesInMemory(items.types[0]) == types::sizeOf(items.memory);
    const bool isRawLong = kind == TypeKind::Long && format == Format::Raw;
    const bool isNumber = kind != TypeKind::Long && types::inMemory(kind) == kind;
    return items.types.size() == 1 && isSame && (isNumber || isRawLong);
}

Result<const Type*> typeOfNpy(const std::string& name, types::TypeTable& types) {
    Result<Opened> opened = openFile(name, {});
    if (!opened) return opened.failure();
    return types.tensor(types.scalar(opened->element->kind), opened->header.dims);
}

Result<std::unique_ptr<ItemReader>> openTensorReader(const std::vector<TensorFile>& files,
                                                     const TensorItems& items,
                                                     const std::string& owner,
                                                     std::function<void()> beforeWaiting) {
    if (files[0].format != Format::Npy) {
        if (Status fits = areNumbers(files, items); !fits) return fits.failure();
        return openReader(files[0].name, files[0].format, items.memory, std::move(beforeWaiting));
    }
    std::vector<Opened> opened;
    for (std::size_t k = 0; k < files.size(); ++k) {
        Result<Opened> file = openFile(files[k].name, beforeWaiting);
        if (!file) return file.failure();
        const Type* type = commonType(items.types, k, files.size());
        const std::vector<std::int64_t>& dims = file->header.dims;
        const bool fits =
            type && file->element->kind == type->element->kind &&
            (dims == type->dims || (dims.size() == type->dims.size() + 1 &&
                                    std::equal(dims.begin() + 1, dims.end(), type->dims.begin())));
        if (!fits)
            return base::failure(Diag::ItemShape,
                                 {file->source->name(), shapeText(file->header, *file->element),
                                  owner, type ? types::toString(type) : allOf(items.types)});
        if (dims.size() > type->dims.size() && dims.front() == 0)
            return base::failure(Diag::EmptyInput, {file->source->name()});
        opened.push_back(std::move(*file));
    }
    return std::make_unique<TensorReader>(std::move(opened), items);
}

Result<std::unique_ptr<ItemWriter>> openTensorWriter(const std::vector<TensorFile>& files,
                                                     const TensorItems& items,
                                                     const StreamInfo& info) {
    if (files[0].format != Format::Npy && files[0].format != Format::Csv) {
        if (Status fits = areNumbers(files, items); !fits) return fits.failure();
        return openWriter(files[0].name, files[0].format, items.memory, info);
    }
    std::vector<TensorSink> opened;
    for (std::size_t k = 0; k < files.size(); ++k) {
        const Type* type = commonType(items.types, k, files.size());
        const bool isHeld = type && rowOf(type->element);
        if (!isHeld && files[k].format == Format::Npy)
            return base::failure(Diag::FormatItemType,
                                 {std::string(io::name(Format::Npy)), allOf(items.types)});
        auto sink = Sink::open(files[k].name);
        if (!sink) return sink.failure();
        opened.emplace_back(std::move(*sink), files[k].format, type);
        if (Status begun = opened.back().begin(); !begun) return begun.failure();
    }
    return std::make_unique<TensorWriter>(std::move(opened), items);
}

}  // namespace strc::io
