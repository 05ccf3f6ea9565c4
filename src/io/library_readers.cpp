#include "io/detail/library_files.h"

namespace strc::io {

using base::Failure;
using base::Result;
using base::Status;

namespace {

StreamInfo infoOf(const strc_stream_info& info) {
    return {info.channels, info.rate, info.bits, info.floating != 0, info.width, info.height};
}

}  // namespace

LibraryReader::LibraryReader(std::string name, const types::Type* type,
                             std::function<void()> beforeWaiting)
    : file(std::move(name)), item(type), waiting(std::move(beforeWaiting)) {}

LibraryReader::LibraryReader(const std::vector<TensorFile>& files, const TensorItems& items,
                             std::string owner, std::function<void()> beforeWaiting)
    : file(files.front().name),
      item(items, files, std::move(owner)),
      waiting(std::move(beforeWaiting)) {}

LibraryReader::LibraryReader(const std::vector<TurnFile>& files, const types::Type* type,
                             std::function<void()> beforeWaiting)
    : file(files.front().name), item(type, files), waiting(std::move(beforeWaiting)) {}

Status LibraryReader::open(std::vector<const strc_format*> wanted) {
    formats = std::move(wanted);
    strc_item about = item.get();
    about.formats = formats.data();
    strc_before_waiting flush{nullptr, this};
    if (waiting) flush.call = [](void* self) { static_cast<LibraryReader*>(self)->waiting(); };
    const int status = about.turns ? strc_turns_open(&reader, about, faults.origin(), flush)
                                   : strc_reader_open(&reader, formats.front(), about, file.c_str(),
                                                      faults.origin(), flush);
    if (status == 0) return base::ok();
    return failure();
}

Failure LibraryReader::failure() {
    const std::optional<Failure> told = faults.take();
    STRC_ASSERT(told, "a reader failed without a word");
    return *told;
}

Result<std::size_t> LibraryReader::read(std::byte* to, std::size_t count) {
    const std::int64_t got = reader.format->read(&reader, to, count);
    if (got >= 0) return static_cast<std::size_t>(got);
    return failure();
}

std::optional<std::uint64_t> LibraryReader::total() const {
    const std::uint64_t items = reader.format->total(&reader);
    return items == STRC_UNKNOWN ? std::nullopt : std::optional(items);
}

std::vector<ItemReader::Part> LibraryReader::parts() const {
    std::vector<Part> all;
    for (std::uint32_t k = 0; reader.part; ++k) {
        const strc_part part = reader.part(&reader, k);
        if (!part.file) break;
        all.push_back({part.file, part.items, part.turn, infoOf(part.info)});
    }
    return all;
}

ItemReader::Rest LibraryReader::rest() const {
    return {strc_reader_rest(&reader), reader.item_bytes, reader.format == &strc_format_raw};
}

std::uint64_t LibraryReader::dropouts() const {
    return reader.source.device ? strc_sound_device_dropouts(reader.source.device) : 0;
}

StreamInfo LibraryReader::info() const { return infoOf(reader.info); }

}  // namespace strc::io
