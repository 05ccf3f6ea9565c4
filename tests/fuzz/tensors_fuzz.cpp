// Readers of files of tensors on files that are anything: arrays of NumPy, safetensors files, pictures. The first byte chooses
// the format and what the stream declares. A reader gives as many items as it has promised, text takes them, and so does a
// file of the same format, in which they are found again.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#include "io/tensors.h"
#include "types/tensor_text.h"

using strc::io::Format;
using strc::io::TensorFile;
using strc::io::TensorItems;
using strc::types::kDynamic;
using strc::types::Type;
using strc::types::TypeKind;
using strc::types::TypeTable;

namespace {

constexpr std::array kFormats = {Format::Npy, Format::Safetensors, Format::Pgm, Format::Png};
constexpr std::size_t kMostItems = 1000;
constexpr std::int64_t kMostElements = 100'000;

void require(bool holds) {
    if (!holds) std::abort();
}

/// In memory.
class File {
public:
    explicit File(Format how) : format(how) { require(descriptor >= 0); }
    ~File() { close(descriptor); }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    void fill(const std::uint8_t* data, std::size_t size) const {
        require(write(descriptor, data, size) == static_cast<ssize_t>(size));
    }
    TensorFile named() const { return {"/proc/self/fd/" + std::to_string(descriptor), format}; }

private:
    Format format;
    int descriptor = memfd_create("tensors", 0);
};

const Type* declaredBy(unsigned choice, TypeTable& types) {
    switch (choice % 6) {
        case 0: return types.tensor();
        case 1: return types.tensor(types.floatType());
        case 2: return types.tensor(types.floatType(), {kDynamic, kDynamic});
        case 3: return types.tensor(types.intType(), {kDynamic, 2, kDynamic});
        case 4: return types.tensor(types.doubleType(), {3, kDynamic, kDynamic});
        default: return types.tensor(types.floatType(), {2});
    }
}

/// Of files of such tensors; without memory: some are no item, or not worth the time.
TensorItems itemsOf(const std::vector<const Type*>& files, const Type* declared, TypeTable& types) {
    TensorItems items;
    std::int64_t most = 0;
    for (const Type* whole : files) {
        const Type* item = strc::io::itemIn(whole, declared, types);
        std::int64_t count = 1;
        for (std::int64_t extent : whole->dims)
            count = extent > kMostElements ? 0 : std::min(count * extent, kMostElements + 1);
        const bool isFine = item && count > 0 && count <= kMostElements &&
                            item->element->kind == files[0]->element->kind;
        if (!isFine) return {};
        items.types.push_back(item);
        most = std::max(most, strc::types::countElements(item));
    }
    items.memory = types.array(types.scalar(files[0]->element->kind), most);
    return items;
}

using Item = std::vector<std::byte>;

std::vector<Item> readAll(const TensorFile& file, const TensorItems& items) {
    auto reader = strc::io::openTensorReader({file}, items, "the program", {});
    require(bool(reader));
    const std::uint64_t promised = *(*reader)->total();
    std::vector<Item> read;
    while (read.size() < kMostItems) {
        Item item(static_cast<std::size_t>(strc::types::sizeOf(items.memory)));
        auto got = (*reader)->read(item.data(), 1);
        require(bool(got));
        if (*got == 0) break;
        read.push_back(std::move(item));
    }
    require(read.size() == std::min<std::uint64_t>(promised, kMostItems));
    return read;
}

void writeAll(const TensorFile& file, const TensorItems& items, const std::vector<Item>& all) {
    auto writer = strc::io::openTensorWriter({file}, items);
    require(bool(writer));
    for (const Item& item : all) require(bool((*writer)->write(item.data(), 1)));
    require(bool((*writer)->close()));
}

/// Numbers of two bytes have one that is none, whatever its bits were.
bool isKept(const TensorItems& items) {
    return std::none_of(items.types.begin(), items.types.end(), [](const Type* each) {
        return each->element->is(TypeKind::Half) || each->element->is(TypeKind::BFloat16);
    });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 1) return 0;
    TypeTable types;
    const Format format = kFormats[data[0] % kFormats.size()];
    const Type* declared = declaredBy(data[0] / unsigned{kFormats.size()}, types);
    const File file(format);
    file.fill(data + 1, size - 1);
    auto found = strc::io::typesIn(file.named(), declared, types);
    if (!found) return 0;
    const TensorItems items = itemsOf(*found, declared, types);
    if (!items.memory) return 0;
    const std::vector<Item> all = readAll(file.named(), items);
    writeAll({"/dev/null", Format::Csv}, items, all);
    if (format != Format::Npy && format != Format::Safetensors) return 0;
    const File copy(format);
    writeAll(copy.named(), items, all);
    const std::vector<Item> again = readAll(copy.named(), items);
    require(again.size() == all.size() && (!isKept(items) || again == all));
    return 0;
}
