#include "io/tensors.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "io/detail/tensor_files.h"
#include "types/tensor_text.h"

namespace strc::io {

using base::Diag;
using base::Result;
using base::Status;
using types::Type;
using types::TypeKind;

namespace {

bool isPicture(Format format) {
    return format == Format::Png || format == Format::Jpeg || format == Format::Pgm;
}

// ---------------------------------------------------------------- names in safetensors files

constexpr std::string_view kBeforeTensor = ".safetensors:";

/// Where the colon of "FILE.safetensors:TENSOR" stands.
std::size_t colonOf(std::string_view name) {
    const std::size_t at = name.find(kBeforeTensor);
    return at == name.npos ? at : at + kBeforeTensor.size() - 1;
}

/// A safetensors file without the name of a tensor stands for all that are in it.
Result<std::vector<TensorFile>> singleTensors(const std::vector<TensorFile>& files) {
    std::vector<TensorFile> singles;
    for (const TensorFile& file : files) {
        const bool isWhole = file.format == Format::Safetensors && tensorIn(file.name).empty();
        if (!isWhole) {
            singles.push_back(file);
            continue;
        }
        auto names = namesInSafetensors(file.name);
        if (!names) return names.failure();
        for (const std::string& name : *names) singles.push_back({file.name, file.format, name});
    }
    return singles;
}

Result<std::unique_ptr<TensorSource>> openSource(const TensorFile& file, const Type* wanted,
                                                 const Waiting& beforeWaiting) {
    if (file.format == Format::Npy) return openNpySource(file, beforeWaiting);
    if (file.format == Format::Safetensors) return openSafetensorsSource(file, beforeWaiting);
    const TypeKind element = wanted && wanted->element ? wanted->element->kind : TypeKind::Float;
    const bool isSample = element == TypeKind::Int || element == TypeKind::Double;
    return openPictureSource(file, isSample ? element : TypeKind::Float, beforeWaiting);
}

// ---------------------------------------------------------------- what takes turns

/// Of the items at `place`, `place + step`, … of a sequence: the type of all, or null if they differ.
const Type* commonType(const std::vector<const Type*>& types, std::size_t place, std::size_t step) {
    const std::size_t length = std::lcm(types.size(), step);
    for (std::size_t k = place; k < length; k += step)
        if (types[k % types.size()] != types[place % types.size()]) return nullptr;
    return types[place % types.size()];
}

/// `dims` are those of one item, perhaps with a dimension of one in front that they lack, or of several items.
bool fits(const std::vector<std::int64_t>& dims, const std::vector<std::int64_t>& item) {
    auto isBehind = [](const std::vector<std::int64_t>& inner,
                       const std::vector<std::int64_t>& outer) {
        return outer.size() == inner.size() + 1 &&
               std::equal(inner.begin(), inner.end(), outer.begin() + 1);
    };
    return dims == item || isBehind(item, dims) || (isBehind(dims, item) && item.front() == 1);
}

/// What knows nothing of tensors takes the numbers of a single file.
Status areNumbers(Format format, bool isSingle, const TensorItems& items) {
    if (isSingle && holdsNumbers(format, items) && check(format, items.memory)) return base::ok();
    return base::failure(Diag::FormatItemType, {std::string(io::name(format)), allOf(items.types)});
}

// ---------------------------------------------------------------- reading

class TensorReader : public ItemReader {
public:
    TensorReader(std::vector<std::unique_ptr<TensorSource>> opened, const TensorItems& about)
        : size(static_cast<std::size_t>(types::sizeOf(about.memory))) {
        for (std::unique_ptr<TensorSource>& source : opened) {
            const Type* type = about.types[files.size() % about.types.size()];
            std::int64_t elements = 1;
            for (std::int64_t extent : source->dims()) elements *= extent;
            const auto count = static_cast<std::uint64_t>(elements / types::countElements(type));
            files.push_back({std::move(source),
                             static_cast<std::size_t>(types::countElements(type)), count, count,
                             types::offsetIn(about.memory, type)});
        }
    }

    /// What is whole before a fault comes first.
    Result<std::size_t> read(std::byte* to, std::size_t count) override {
        if (fault) return *fault;
        for (std::size_t done = 0; done < count; ++done) {
            File& file = files[next];
            if (file.left == 0 || (done > 0 && file.source->wouldWait())) return done;
            std::byte* item = to + done * size;
            std::memset(item, 0, size);
            Result<bool> read = file.source->read(file.elements, item + file.offset);
            if (!read) fault = read.failure();
            if (fault && done == 0) return *fault;
            if (fault || !*read) return done;
            --file.left;
            next = (next + 1) % files.size();
        }
        return count;
    }

    bool rewind() override {
        for (File& file : files) {
            if (!file.source->rewind()) return false;
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

    std::vector<Part> parts() const override {
        std::vector<Part> all;
        for (const File& file : files) all.push_back({file.source->name(), file.count});
        return all;
    }

private:
    struct File {
        std::unique_ptr<TensorSource> source;
        std::size_t elements;  ///< of a tensor
        std::uint64_t count, left;  ///< tensors
        std::int64_t offset;  ///< in the item
    };

    std::size_t size;
    std::vector<File> files;
    std::size_t next = 0;
    std::optional<base::Failure> fault;
};

// ---------------------------------------------------------------- writing

class TensorWriter : public ItemWriter {
public:
    TensorWriter(std::vector<std::unique_ptr<TensorSink>> opened, const TensorItems& about)
        : items(about),
          size(static_cast<std::size_t>(types::sizeOf(about.memory))),
          files(std::move(opened)) {}

    Status write(const std::byte* from, std::size_t count) override {
        for (std::size_t k = 0; k < count; ++k, ++written) {
            const Type* type = items.types[written % items.types.size()];
            const std::byte* item = from + k * size + types::offsetIn(items.memory, type);
            Status status = files[written % files.size()]->write(item, type);
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
                           [](const auto& file) { return file->readerGone(); });
    }

private:
    /// The first failure counts.
    template <typename Do>
    Status forEach(Do act) {
        Status result = base::ok();
        for (const std::unique_ptr<TensorSink>& file : files) {
            Status status = act(*file);
            if (result) result = std::move(status);
        }
        return result;
    }

    TensorItems items;
    std::size_t size;
    std::vector<std::unique_ptr<TensorSink>> files;
    std::size_t written = 0;
};

/// Opens what items go to in turn. Several tensors may go to one safetensors file.
class Sinks {
public:
    Sinks(const TensorItems& items, const StreamInfo& info) : items(items), info(info) {}

    SinkOfTensors open(const TensorFile& file, const Type* type) {
        if (file.format == Format::Csv) return openTextSink(file.name);
        if (type && file.format == Format::Safetensors) return openTensor(file, type);
        if (type && file.format == Format::Npy) return openNpySink(file.name, type);
        if (type && isPicture(file.format)) return openPictureSink(file, type, info);
        return base::failure(Diag::FormatItemType,
                             {std::string(io::name(file.format)), allOf(items.types)});
    }

private:
    SinkOfTensors openTensor(const TensorFile& file, const Type* type) {
        const std::string path(pathOf(file.name));
        Shared& shared = written[path];
        if (!shared.writer) {
            auto opened = openSafetensorsWriter(path);
            if (!opened) return opened.failure();
            shared.writer = std::move(*opened);
        }
        std::string name(tensorIn(file.name));
        if (name.empty())
            name = shared.count == 0 ? "output" : fmt::format("output.{}", shared.count);
        ++shared.count;
        return addTensor(shared.writer, name, type);
    }

    struct Shared {
        std::shared_ptr<SafetensorsWriter> writer;
        std::size_t count = 0;  ///< tensors
    };

    const TensorItems& items;
    const StreamInfo& info;
    std::map<std::string, Shared> written;
};

/// Files that are opened when it is known what they take; that they can be written is known before.
class LateTensorWriter : public ItemWriter {
public:
    LateTensorWriter(const std::vector<TensorFile>& given, StreamInfo about)
        : info(about), sinks(none, info) {
        for (const TensorFile& file : given) files.push_back({file, nullptr, nullptr, nullptr});
    }

    Status begin() {
        std::error_code error;
        for (const File& file : files) {
            const std::string path(pathOf(file.about.name));
            const bool isDevice = std::filesystem::exists(path, error) &&
                                  !std::filesystem::is_regular_file(path, error);
            if (path == "-" || isDevice || unused.count(path) != 0) continue;
            auto sink = Sink::open(path);
            if (!sink) return sink.failure();
            unused.emplace(path, std::move(*sink));
        }
        return base::ok();
    }

    Status expect(const Type* tensor, const Type* memory) override {
        File& file = files[written % files.size()];
        next = tensor;
        if (!file.type) return open(file, tensor, memory);
        if (file.type == tensor || file.about.format == Format::Csv) return base::ok();
        return base::failure(Diag::ItemDiffers, {file.about.name, types::toString(file.type),
                                                 types::toString(tensor)});
    }

    Status write(const std::byte* from, std::size_t) override {
        File& file = files[written++ % files.size()];
        return file.sink ? file.sink->write(from, next) : file.numbers->write(from, 1);
    }

    Status flush() override {
        return forEach([](auto& file) { return file.flush(); });
    }
    Status close() override {
        Status emptied = base::ok();
        for (const auto& [path, file] : unused)
            if (Status closed = file->close(); emptied) emptied = std::move(closed);
        Status closed = forEach([](auto& file) { return file.close(); });
        return emptied ? closed : emptied;
    }
    bool readerGone() const override {
        return std::any_of(files.begin(), files.end(), [](const File& file) {
            return (file.sink && file.sink->readerGone()) ||
                   (file.numbers && file.numbers->readerGone());
        });
    }

private:
    struct File {
        TensorFile about;
        const Type* type;  ///< null: not open yet
        std::unique_ptr<TensorSink> sink;
        std::unique_ptr<ItemWriter> numbers;  ///< of formats that know nothing of tensors
    };

    Status open(File& file, const Type* tensor, const Type* memory) {
        unused.erase(std::string(pathOf(file.about.name)));
        if (!knowsTensors(file.about.format) && file.about.format != Format::Csv) {
            if (Status fits = areNumbers(file.about.format, true, {{tensor}, memory}); !fits)
                return fits;
            auto opened = openWriter(file.about.name, file.about.format, memory, info);
            if (!opened) return opened.failure();
            file.numbers = std::move(*opened);
        } else {
            auto opened = sinks.open(file.about, tensor);
            if (!opened) return opened.failure();
            file.sink = std::move(*opened);
        }
        file.type = tensor;
        return base::ok();
    }

    /// The first failure counts.
    template <typename Do>
    Status forEach(Do act) {
        Status result = base::ok();
        for (File& file : files) {
            if (!file.type) continue;
            Status status = file.sink ? act(*file.sink) : act(*file.numbers);
            if (result) result = std::move(status);
        }
        return result;
    }

    const TensorItems none;
    StreamInfo info;
    Sinks sinks;
    std::vector<File> files;
    std::map<std::string, std::unique_ptr<Sink>> unused;  ///< by path: nothing has come for them
    std::size_t written = 0;
    const Type* next = nullptr;
};

/// One safetensors file gets items of several types as so many tensors.
std::vector<TensorFile> sinksFor(const std::vector<TensorFile>& files, const TensorItems& items) {
    const bool isOne = files.size() == 1 && files[0].format == Format::Safetensors &&
                       tensorIn(files[0].name).empty();
    return isOne ? std::vector<TensorFile>(items.types.size(), files[0]) : files;
}

}  // namespace

bool knowsTensors(Format format) {
    return format == Format::Npy || format == Format::Safetensors || isPicture(format);
}

std::string_view pathOf(std::string_view name) { return name.substr(0, colonOf(name)); }

std::string_view tensorIn(std::string_view name) {
    const std::size_t colon = colonOf(name);
    return colon == name.npos ? std::string_view() : name.substr(colon + 1);
}

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

const Type* itemIn(const Type* whole, const Type* declared, types::TypeTable& types) {
    if (types::compatible(whole, declared)) return whole;
    std::vector<std::int64_t> dims = whole->dims;
    dims.insert(dims.begin(), 1);
    const Type* outer = types.tensor(whole->element, std::move(dims));
    if (types::compatible(outer, declared)) return outer;
    if (whole->dims.empty()) return nullptr;
    const Type* inner = types.tensor(whole->element, {whole->dims.begin() + 1, whole->dims.end()});
    return types::compatible(inner, declared) ? inner : nullptr;
}

Result<std::vector<const Type*>> typesIn(const TensorFile& file, const Type* wanted,
                                         types::TypeTable& types) {
    if (!knowsTensors(file.format))
        return base::failure(Diag::FormatItemType, {std::string(io::name(file.format)), "tensor"});
    auto files = singleTensors({file});
    if (!files) return files.failure();
    std::vector<const Type*> found;
    for (const TensorFile& each : *files) {
        auto source = openSource(each, wanted, {});
        if (!source) return source.failure();
        found.push_back(types.tensor(types.scalar((*source)->element()), (*source)->dims()));
    }
    return found;
}

Result<std::unique_ptr<ItemReader>> openTensorReader(const std::vector<TensorFile>& given,
                                                     const TensorItems& items,
                                                     const std::string& owner,
                                                     std::function<void()> beforeWaiting) {
    const auto numbers = std::find_if_not(given.begin(), given.end(), [](const TensorFile& file) {
        return knowsTensors(file.format);
    });
    if (numbers != given.end()) {
        if (Status fits = areNumbers(numbers->format, given.size() == 1, items); !fits)
            return fits.failure();
        return openReader(given[0].name, given[0].format, items.memory, std::move(beforeWaiting));
    }
    auto files = singleTensors(given);
    if (!files) return files.failure();
    std::vector<std::unique_ptr<TensorSource>> opened;
    types::TypeTable shown;
    for (std::size_t k = 0; k < files->size(); ++k) {
        const Type* type = commonType(items.types, k, files->size());
        auto source = openSource((*files)[k], type, beforeWaiting);
        if (!source) return source.failure();
        const std::vector<std::int64_t>& dims = (*source)->dims();
        const bool isWanted =
            type && (*source)->element() == type->element->kind && fits(dims, type->dims);
        if (!isWanted) {
            const Type* have = shown.tensor(shown.scalar((*source)->element()), dims);
            return base::failure(Diag::ItemShape,
                                 {(*source)->name(), types::toString(have), owner,
                                  type ? types::toString(type) : allOf(items.types)});
        }
        if (std::find(dims.begin(), dims.end(), 0) != dims.end())
            return base::failure(Diag::EmptyInput, {(*source)->name()});
        opened.push_back(std::move(*source));
    }
    return std::make_unique<TensorReader>(std::move(opened), items);
}

Result<std::unique_ptr<ItemWriter>> openTensorWriter(const std::vector<TensorFile>& given,
                                                     const TensorItems& items,
                                                     const StreamInfo& info) {
    if (items.types.empty()) {
        auto writer = std::make_unique<LateTensorWriter>(given, info);
        if (Status begun = writer->begin(); !begun) return begun.failure();
        return writer;
    }
    if (!knowsTensors(given[0].format) && given[0].format != Format::Csv) {
        if (Status fits = areNumbers(given[0].format, given.size() == 1, items); !fits)
            return fits.failure();
        return openWriter(given[0].name, given[0].format, items.memory, info);
    }
    const std::vector<TensorFile> files = sinksFor(given, items);
    std::vector<std::unique_ptr<TensorSink>> opened;
    Sinks sinks(items, info);
    for (std::size_t k = 0; k < files.size(); ++k) {
        auto sink = sinks.open(files[k], commonType(items.types, k, files.size()));
        if (!sink) return sink.failure();
        opened.push_back(std::move(*sink));
    }
    return std::make_unique<TensorWriter>(std::move(opened), items);
}

}  // namespace strc::io
