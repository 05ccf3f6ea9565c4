// Readers of files of items on files that are anything. The first byte chooses format and item type,
// the second how many items are asked for at once. What a reader gives, a writer takes.

#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#include "io/items.h"

using strc::io::Format;

namespace {

constexpr std::size_t kMostItems = 100'000;

const strc::types::Type* itemOf(strc::types::TypeTable& types, unsigned choice) {
    switch (choice % 6) {
        case 0: return types.floatType();
        case 1: return types.intType();
        case 2: return types.array(types.intType(), 3);
        case 3: return types.bit();
        case 4: return types.complex();
        default: return types.array(types.floatType(), 2);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr Format formats[] = {Format::Raw, Format::Npy, Format::Csv, Format::Pgm};
    if (size < 2) return 0;
    strc::types::TypeTable types;
    const Format format = formats[data[0] % 4];
    const strc::types::Type* item = itemOf(types, data[0] / 4u);
    const std::size_t atOnce = 1 + data[1];
    int file = memfd_create("input", 0);
    if (file < 0 || write(file, data + 2, size - 2) < 0) std::abort();

    auto reader = strc::io::openReader("/proc/self/fd/" + std::to_string(file), format, item);
    auto writer = strc::io::openWriter("/dev/null", format, item);
    if (reader && !writer) std::abort();
    std::vector<std::byte> items(atOnce * static_cast<std::size_t>(strc::types::sizeOf(item)));
    std::size_t sum = 0;
    while (reader && sum < kMostItems) {
        auto got = (*reader)->read(items.data(), atOnce);
        if (!got || *got == 0) break;
        sum += *got;
        if (sum > (*reader)->total().value_or(sum)) std::abort();
        if (!(*writer)->write(items.data(), *got)) std::abort();
    }
    if (writer && !(*writer)->close()) std::abort();
    close(file);
    return 0;
}
