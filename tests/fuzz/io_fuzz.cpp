// Readers of files of items on files that are anything. The first byte chooses format and item type,
// the second how many items are asked for at once. What a reader gives, a writer takes, but for sounds and pictures
// that the libraries for them do not write. A reader that comes to the end and starts again gives as many items.

#include <array>
#include <cstdlib>
#include <optional>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#include "io/items.h"

using strc::io::Format;

namespace {

constexpr std::size_t kMostItems = 100'000;
constexpr std::array kFormats = {
    Format::Raw,  Format::Npy,  Format::Csv, Format::Pgm,  Format::Wav,  Format::Pcm, Format::Cu8,
    Format::Cs16, Format::Cf32, Format::Png, Format::Jpeg, Format::Flac, Format::Ogg};
constexpr std::size_t kOwn = 9;  ///< of these, from the first on, that need no library

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

/// Reads up to the end and hands the items on; how many. Empty: there is a fault, or more than is worth the time.
std::optional<std::size_t> readAll(strc::io::ItemReader& reader, std::size_t itemSize,
                                   std::size_t atOnce, strc::io::ItemWriter* writer,
                                   bool mustWrite) {
    std::vector<std::byte> items(atOnce * itemSize);
    std::size_t sum = 0;
    while (sum < kMostItems) {
        auto got = reader.read(items.data(), atOnce);
        if (!got) return std::nullopt;
        if (*got == 0) return sum;
        sum += *got;
        if (sum > reader.total().value_or(sum)) std::abort();
        if (writer && !writer->write(items.data(), *got)) {
            if (mustWrite) std::abort();
            writer = nullptr;
        }
    }
    return std::nullopt;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    strc::types::TypeTable types;
    const std::size_t choice = data[0] % kFormats.size();
    const bool isOwn = choice < kOwn;
    const strc::types::Type* item = itemOf(types, data[0] / unsigned{kFormats.size()});
    const std::size_t atOnce = 1 + data[1];
    int file = memfd_create("input", 0);
    if (file < 0 || write(file, data + 2, size - 2) < 0) std::abort();

    auto reader =
        strc::io::openReader("/proc/self/fd/" + std::to_string(file), kFormats[choice], item);
    auto writer = strc::io::openWriter("/dev/null", kFormats[choice], item);
    if (reader && !writer && isOwn) std::abort();
    if (reader) {
        const auto itemSize = static_cast<std::size_t>(strc::types::sizeOf(item));
        const auto first =
            readAll(**reader, itemSize, atOnce, writer ? writer->get() : nullptr, isOwn);
        if (first && (*reader)->rewind() &&
            readAll(**reader, itemSize, atOnce, nullptr, false) != first)
            std::abort();
    }
    if (writer && !(*writer)->close() && isOwn) std::abort();
    close(file);
    return 0;
}
