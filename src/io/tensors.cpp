#include "io/tensors.h"

#include <algorithm>
#include <cstdlib>

#include "io/detail/library_files.h"
#include "strc/files/paths.h"
#include "strc/files/tensors.h"
#include "types/tensor_elements.h"
#include "types/tensor_text.h"

namespace strc::io {

using base::Result;
using base::Status;
using types::Type;
using types::TypeKind;

namespace {

/// A file of tensors, to look at how it begins.
class Beginning {
public:
    Beginning(const TensorFile& file, const strc_tensor_files& how) : file(file), how(how) {}
    ~Beginning() { strc_source_close(&source); }
    Beginning(const Beginning&) = delete;
    Beginning& operator=(const Beginning&) = delete;

    Status open() {
        int status = strc_source_open(&source, file.name.c_str(), faults.origin(), {});
        if (status == 0 && source.size == 0) status = strc_source_empty(&source);
        return statusOf(status);
    }

    /// How many tensors it stands for.
    Result<std::int64_t> count() {
        const std::int64_t tensors = how.count(&source, file.name.c_str());
        if (tensors < 0) return statusOf(-1).failure();
        return tensors;
    }

    /// The k-th of them. `element`: in which pictures are asked for.
    Result<const Type*> type(std::int64_t k, std::int64_t element, types::TypeTable& types) {
        strc_tensor_header header{};
        header.element = element;
        const int status =
            how.find(&how, &source, file.name.c_str(), static_cast<std::uint64_t>(k), &header);
        std::free(header.decoded);
        if (status != 0) return statusOf(status).failure();
        std::vector<std::int64_t> shape{header.element, header.rank};
        shape.insert(shape.end(), header.extents, header.extents + header.rank);
        return types::ofShape(shape.data(), types);
    }

private:
    Status statusOf(int status) {
        if (status == 0) return base::ok();
        const std::optional<base::Failure> told = faults.take();
        STRC_ASSERT(told, "a file failed without a word");
        return *told;
    }

    const TensorFile& file;
    const strc_tensor_files& how;
    Faults faults;
    strc_source source{};
};

std::int64_t elementOf(const Type* wanted) {
    const bool isKnown = wanted && wanted->is(TypeKind::Tensor) && wanted->element;
    return types::elementOf(isKnown ? wanted->element->kind : TypeKind::Float);
}

}  // namespace

bool knowsTensors(Format format) { return tensorFunctionsOf(format, false).files != nullptr; }

std::string_view pathOf(std::string_view name) {
    return name.substr(0, strc_path_size(name.data(), name.size()));
}

std::string allOf(const std::vector<const Type*>& types) {
    std::string text;
    for (const Type* type : types) text += (text.empty() ? "" : ", ") + types::toString(type);
    return text;
}

bool holdsNumbers(Format format, const TensorItems& items) {
    const TypeKind kind = items.types[0]->element->kind;
    const bool isSame = types::sizeOf(items.types[0]) == types::sizeOf(items.memory);
    const bool isRawLong = kind == TypeKind::Long && format == Format::Raw;
    const bool isNumber = kind != TypeKind::Long && !types::isNarrow(kind);
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
        return base::failure(base::Diag::FormatItemType,
                             {std::string(io::name(file.format)), "tensor"});
    const strc_tensor_files& how = *tensorFunctionsOf(file.format, false).files;
    std::vector<const Type*> found;
    for (std::int64_t k = 0, count = 1; k < count; ++k) {
        Beginning each(file, how);
        if (Status opened = each.open(); !opened) return opened.failure();
        if (k == 0) {
            Result<std::int64_t> all = each.count();
            if (!all) return all.failure();
            count = *all;
        }
        Result<const Type*> type = each.type(k, elementOf(wanted), types);
        if (!type) return type.failure();
        found.push_back(*type);
    }
    return found;
}

Result<std::unique_ptr<ItemReader>> openTensorReader(const std::vector<TensorFile>& files,
                                                     const TensorItems& items,
                                                     const std::string& owner,
                                                     std::function<void()> beforeWaiting) {
    auto reader = std::make_unique<LibraryReader>(files, items, owner, std::move(beforeWaiting));
    if (Status opened = reader->open(tensorFunctionsOf(files, false)); !opened)
        return opened.failure();
    return reader;
}

Result<std::unique_ptr<ItemWriter>> openTensorWriter(const std::vector<TensorFile>& files,
                                                     const TensorItems& items,
                                                     const StreamInfo& info) {
    const bool isOneFormat = std::all_of(files.begin(), files.end(), [&](const TensorFile& file) {
        return file.format == files.front().format;
    });
    if (items.types.empty() || !isOneFormat) {
        auto writer = std::make_unique<CycleWriter>(files, items);
        if (Status opened = writer->open(info); !opened) return opened.failure();
        return writer;
    }
    auto writer = std::make_unique<LibraryWriter>(files, items);
    const strc_format& format = tensorFunctionsOf(files.front().format, true);
    if (Status opened = writer->open(format, info); !opened) return opened.failure();
    return writer;
}

}  // namespace strc::io
