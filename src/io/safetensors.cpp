// Tensors in safetensors files, by name.
#include "strc/safetensors.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/json.h"
#include "io/detail/tensor_files.h"
#include "types/tensor_elements.h"

namespace strc::io {

using base::Result;
using base::Status;
using types::Type;
using types::TypeKind;

namespace {

// ---------------------------------------------------------------- reading

struct Index : strc_safe_index {
    Index() : strc_safe_index{} {}
    ~Index() { strc_safe_free(this); }
    Index(const Index&) = delete;
    Index& operator=(const Index&) = delete;
};

/// The header alone is read.
Status readIndex(Source& source, Index& index) {
    const std::string_view format = name(Format::Safetensors);
    if (!source.size()) return source.malformed(format, "it is no regular file");
    auto bytes = source.ask(STRC_SAFE_LENGTH);
    if (bytes && bytes->size() >= STRC_SAFE_LENGTH) {
        const std::uint64_t length = strc_safe_header_size(bytes->data());
        if (length <= STRC_SAFE_HEADER)
            bytes = source.ask(STRC_SAFE_LENGTH + static_cast<std::size_t>(length));
    }
    if (!bytes) return bytes.failure();
    char why[STRC_SAFE_WHY];
    if (strc_safe_read(bytes->data(), *source.size(), &index, why) == 0) return base::ok();
    return source.malformed(format, why);
}

/// "conv9" comes before "conv10".
bool comesBefore(std::string_view one, std::string_view other) {
    auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
    auto number = [&](std::string_view text, std::size_t from) {
        std::size_t end = from;
        while (end < text.size() && isDigit(text[end])) ++end;
        while (from + 1 < end && text[from] == '0') ++from;
        return text.substr(from, end - from);
    };
    const std::size_t shared = std::min(one.size(), other.size());
    std::size_t at = static_cast<std::size_t>(
        std::mismatch(one.begin(), one.begin() + static_cast<std::ptrdiff_t>(shared), other.begin())
            .first -
        one.begin());
    while (at > 0 && isDigit(one[at - 1])) --at;
    const std::string_view left = number(one, at), right = number(other, at);
    if (!left.empty() && !right.empty() && left != right)
        return left.size() != right.size() ? left.size() < right.size() : left < right;
    return one < other;
}

std::string listOf(const std::vector<std::string>& names) {
    constexpr std::size_t most = 8;
    std::string text;
    for (std::size_t k = 0; k < std::min(names.size(), most); ++k)
        text += (k == 0 ? "" : ", ") + names[k];
    return names.size() > most ? text + ", ..." : text;
}

std::vector<std::string> namesOf(const Index& index) {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < index.count; ++k)
        names.emplace_back(index.tensors[k].name, index.tensors[k].name_size);
    std::sort(names.begin(), names.end(), comesBefore);
    return names;
}

}  // namespace

// ---------------------------------------------------------------- writing

class SafetensorsWriter {
public:
    explicit SafetensorsWriter(std::unique_ptr<Sink> opened) : sink(std::move(opened)) {}

    struct Part {
        std::string name;
        const Type* type;
        std::uint64_t count = 0;
        std::vector<std::byte> bytes;
    };

    Part* add(const std::string& name, const Type* type) {
        for (const auto& part : parts)
            if (part->name == name) return nullptr;
        parts.push_back(std::make_unique<Part>(Part{name, type, 0, {}}));
        ++open;
        return parts.back().get();
    }

    /// The last one that closes writes the file.
    Status close() {
        if (--open > 0) return base::ok();
        const std::string text = header();
        Status written = sink->write(text.data(), text.size());
        for (const auto& part : parts)
            if (written) written = sink->write(part->bytes.data(), part->bytes.size());
        if (written) written = sink->flush();
        if (sink->failed()) sink->cut(0);
        Status closed = sink->close();
        return written ? closed : written;
    }

    const Sink& file() const { return *sink; }

private:
    /// Blanks at its end let the values begin at a multiple of eight bytes.
    std::string header() const {
        std::string text = "{";
        std::size_t at = 0;
        for (const auto& part : parts) {
            std::string dims = part->count == 1 ? "" : std::to_string(part->count);
            for (std::int64_t extent : part->type->dims)
                dims += (dims.empty() ? "" : ",") + std::to_string(extent);
            text += fmt::format("{}{}:{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{},{}]}}",
                                text.size() == 1 ? "" : ",", base::jsonString(part->name),
                                strc_safe_name(types::safetensorsType(part->type->element->kind)),
                                dims, at, at + part->bytes.size());
            at += part->bytes.size();
        }
        text += '}';
        text.resize((text.size() + STRC_SAFE_LENGTH - 1) / STRC_SAFE_LENGTH * STRC_SAFE_LENGTH,
                    ' ');
        std::string length(STRC_SAFE_LENGTH, '\0');
        for (std::size_t k = 0; k < STRC_SAFE_LENGTH; ++k)
            length[k] = static_cast<char>(text.size() >> (8 * k) & 0xff);
        return length + text;
    }

    std::unique_ptr<Sink> sink;
    std::vector<std::unique_ptr<Part>> parts;
    std::size_t open = 0;
};

namespace {

class SafetensorsSink : public TensorSink {
public:
    SafetensorsSink(std::shared_ptr<SafetensorsWriter> file, SafetensorsWriter::Part& part)
        : file(std::move(file)), part(part) {}

    Status write(const std::byte* from, const Type* item) override {
        const std::vector<std::byte> bytes = outside(item, from);
        part.bytes.insert(part.bytes.end(), bytes.begin(), bytes.end());
        ++part.count;
        return base::ok();
    }
    Status flush() override { return base::ok(); }
    Status close() override { return file->close(); }
    bool readerGone() const override { return file->file().readerGone(); }

private:
    std::shared_ptr<SafetensorsWriter> file;
    SafetensorsWriter::Part& part;
};

}  // namespace

Result<std::vector<std::string>> namesInSafetensors(const std::string& file) {
    auto source = Source::open(file, {});
    if (!source) return source.failure();
    Index index;
    if (Status read = readIndex(**source, index); !read) return read.failure();
    if (index.count == 0) return base::failure(base::Diag::EmptyInput, {(*source)->name()});
    return namesOf(index);
}

Result<std::unique_ptr<TensorSource>> openSafetensorsSource(const TensorFile& file,
                                                            const Waiting& beforeWaiting) {
    auto source = Source::open(std::string(pathOf(file.name)), beforeWaiting);
    if (!source) return source.failure();
    Index index;
    if (Status read = readIndex(**source, index); !read) return read.failure();
    const std::string_view name = file.tensor.empty() ? tensorIn(file.name) : file.tensor;
    const strc_safe_tensor* found = strc_safe_find(&index, name.data(), name.size());
    auto malformed = [&](const std::string& why) {
        return (*source)->malformed(io::name(Format::Safetensors), why);
    };
    if (!found)
        return malformed(
            fmt::format("it has no tensor '{}', but {}", name, listOf(namesOf(index))));
    const std::optional<TypeKind> element = types::ofSafetensors(found->type);
    if (!element)
        return malformed(fmt::format("the elements of '{}' are of type '{}', which no tensor has",
                                     name, strc_safe_name(found->type)));
    if (!(*source)->seek(found->begin)) return malformed("it is no regular file");
    return sourceOf({std::move(*source), Format::Safetensors, false, found->begin}, *element,
                    {found->dims, found->dims + found->rank});
}

Result<std::shared_ptr<SafetensorsWriter>> openSafetensorsWriter(const std::string& file) {
    auto sink = Sink::open(file);
    if (!sink) return sink.failure();
    return std::make_shared<SafetensorsWriter>(std::move(*sink));
}

SinkOfTensors addTensor(const std::shared_ptr<SafetensorsWriter>& file, const std::string& name,
                        const Type* item) {
    SafetensorsWriter::Part* part = file->add(name, item);
    if (part) return std::make_unique<SafetensorsSink>(file, *part);
    return base::failure(base::Diag::CannotWriteFile,
                         {file->file().name(), fmt::format("two tensors are called '{}'", name)});
}

}  // namespace strc::io
