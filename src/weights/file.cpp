// Weights from a safetensors file.

#include <algorithm>
#include <fstream>
#include <map>
#include <string_view>

#include "base/spelling.h"
#include "strc/safetensors.h"
#include "types/tensor_elements.h"
#include "weights/detail/reading.h"
#include "weights/weights.h"

namespace strc::weights {
namespace {

using base::Diag;
using types::TypeKind;

/// "U8[2, 3]"
std::string toString(const strc_safe_tensor& tensor) {
    std::string text = std::string(strc_safe_name(tensor.type)) + "[";
    for (std::uint32_t k = 0; k < tensor.rank; ++k)
        text += (k == 0 ? "" : ", ") + std::to_string(tensor.dims[k]);
    return text + "]";
}

struct Index : strc_safe_index {
    Index() : strc_safe_index{} {}
    ~Index() { strc_safe_free(this); }
    Index(const Index&) = delete;
    Index& operator=(const Index&) = delete;
};

class File final : public Source {
public:
    explicit File(std::string name) : name(std::move(name)) {}

    base::Status read() {
        auto opened = Reading::open(name);
        if (!opened) return opened.failure();
        file = std::move(*opened);
        auto header = readHeader();
        if (!header) return header.failure();
        char why[STRC_SAFE_WHY];
        if (strc_safe_read(header->get(), file->size(), &index, why) != 0) return unusable(why);
        return base::ok();
    }

    base::Result<Values> look(const std::string& tensor, const Type* wanted,
                              types::TypeTable& types) override {
        const strc_safe_tensor* found = strc_safe_find(&index, tensor.data(), tensor.size());
        if (!found) return base::failure(Diag::WeightsMissing, {tensor, name});
        const Type* type = typeOf(*found, types);
        if (!type)
            return mismatch(tensor, toString(*found),
                            types::ofSafetensors(found->type)
                                ? "of a shape that tensors have, whose extents are ints"
                                : "of one of the element types that tensors have");
        if (!types::compatible(type, wanted))
            return mismatch(tensor, types::toString(type), types::toString(wanted));
        auto bytes = bytesOf(*found);
        if (!bytes) return bytes.failure();
        return Values{type, *bytes};
    }

    std::string similarTo(const std::string& wanted) const override {
        base::SpellingSearch search(wanted);
        for (std::size_t k = 0; k < index.count; ++k)
            search.consider({index.tensors[k].name, index.tensors[k].name_size});
        return std::string(search.best());
    }

    std::string path() const override { return name; }

private:
    /// With its length, as far as both are there.
    base::Result<Bytes> readHeader() const {
        const std::uint64_t size = file->size();
        auto length = file->read(0, std::min<std::uint64_t>(size, STRC_SAFE_LENGTH));
        if (!length || size < STRC_SAFE_LENGTH) return length;
        const std::uint64_t header = strc_safe_header_size(length->get());
        if (header > STRC_SAFE_HEADER || header > size - STRC_SAFE_LENGTH) return length;
        return file->read(0, STRC_SAFE_LENGTH + header);
    }

    base::Failure unusable(std::string reason) const {
        return base::failure(Diag::WeightsFile, {name, std::move(reason)});
    }
    base::Failure mismatch(const std::string& tensor, std::string have, std::string want) const {
        return base::failure(Diag::WeightsMismatch,
                             {tensor, name, std::move(have), std::move(want)});
    }

    /// Null: bodies can never compute with such elements.
    static const Type* typeOf(const strc_safe_tensor& tensor, types::TypeTable& types) {
        const std::optional<TypeKind> element = types::ofSafetensors(tensor.type);
        if (!element) return nullptr;
        const std::uint64_t* dims = tensor.dims;
        if (std::any_of(dims, dims + tensor.rank, [](std::uint64_t n) { return n > INT32_MAX; }))
            return nullptr;
        return types.tensor(types.scalar(*element),
                            std::vector<std::int64_t>(dims, dims + tensor.rank));
    }

    base::Result<Bytes> bytesOf(const strc_safe_tensor& tensor) {
        auto [found, isNew] = known.try_emplace({tensor.begin, tensor.size});
        if (!isNew && found->second) return found->second;
        auto bytes = file->read(tensor.begin, tensor.size);
        if (!bytes) return bytes;
        char why[STRC_SAFE_WHY];
        if (strc_safe_check(&tensor, bytes->get(), why) != 0) return unusable(why);
        return found->second = *bytes;
    }

    std::string name;
    std::unique_ptr<Reading> file;
    Index index;
    std::map<std::pair<std::uint64_t, std::uint64_t>, Bytes> known;  ///< by place and size
};

class Later final : public Source {
public:
    explicit Later(std::string name) : name(std::move(name)) {}

    base::Result<Values> look(const std::string& tensor, const Type* wanted,
                              types::TypeTable& types) override {
        if (!file) {
            if (!std::ifstream(name)) return base::failure(Diag::WeightsNone, {tensor});
            auto opened = open(name);
            if (!opened) return opened.failure();
            file = std::move(*opened);
        }
        return file->find(tensor, wanted, types);
    }

    std::string similarTo(const std::string& wanted) const override {
        return file ? file->similarTo(wanted) : std::string();
    }
    std::string path() const override { return file ? name : std::string(); }

private:
    std::string name;
    std::unique_ptr<Source> file;
};

}  // namespace

std::uint32_t fileType(const Type* element) { return types::safetensorsType(element->kind); }

std::unique_ptr<Source> openLater(const std::string& path) { return std::make_unique<Later>(path); }

base::Result<std::unique_ptr<Source>> open(const std::string& path) {
    auto file = std::make_unique<File>(path);
    if (base::Status read = file->read(); !read) return read.failure();
    return std::unique_ptr<Source>(std::move(file));
}

}  // namespace strc::weights
