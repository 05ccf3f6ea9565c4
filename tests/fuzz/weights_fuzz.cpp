// Weights files that are anything. A tensor of a file that is accepted lies inside of it, and all that is
// said of it holds; a file that is refused leaves nothing behind.

#include <cstdlib>
#include <string>
#include <vector>

#include "strc/safetensors.h"

namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

void check(const strc_safe_tensor& tensor, std::size_t size) {
    require(tensor.type < STRC_SAFE_TYPES && tensor.rank <= STRC_SAFE_DIMENSIONS);
    require(tensor.begin <= size && tensor.size <= size - tensor.begin);
    std::uint64_t bytes = strc_safe_bytes(tensor.type);
    for (std::uint32_t k = 0; k < tensor.rank; ++k) bytes *= tensor.dims[k];
    require(bytes == tensor.size);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // Most lengths of a header are none: the first byte may say that the length is what would do.
    std::vector<std::uint8_t> file(data, data + size);
    if (size > 9 && data[0] == '!') {
        file.erase(file.begin());
        const std::uint64_t length = file[0] < file.size() - 8 ? file.size() - 8 - file[0] : 0;
        for (int k = 0; k < 8; ++k) file[k] = static_cast<std::uint8_t>(length >> (8 * k));
    }
    strc_safe_index index;
    char why[STRC_SAFE_WHY];
    if (strc_safe_read(file.data(), file.size(), &index, why) != 0) {
        require(why[0] != '\0' && !index.tensors && !index.names && index.count == 0);
        return 0;
    }
    std::uint64_t total = 0;
    for (std::size_t k = 0; k < index.count; ++k) {
        const strc_safe_tensor& each = index.tensors[k];
        check(each, file.size());
        total += each.size;
        require(strc_safe_find(&index, each.name, each.name_size) == &each);
    }
    require(total <= file.size() - 8);
    strc_safe_free(&index);
    return 0;
}
