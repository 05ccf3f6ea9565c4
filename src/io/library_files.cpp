#include "io/detail/library_files.h"

#include <cerrno>
#include <cstring>
#include <optional>

#include "io/faults.h"
#include "io/item_types.h"

namespace strc::io {

using base::Diag;
using base::Failure;
using base::Result;
using base::Status;
using types::Type;

namespace {

/// An item's type with the tables that it needs.
class Item {
public:
    explicit Item(const Type* type) : name(types::toString(type)) { number = rows.add(type); }
    Item(const Item&) = delete;
    Item& operator=(const Item&) = delete;

    strc_item get() const {
        strc_item item{};
        item.types = rows.rows().data();
        item.type = item.types + number;
        item.fields = rows.fields().data();
        item.name = name.c_str();
        return item;
    }

private:
    ItemTypes rows;
    std::uint32_t number;
    std::string name;
};

class LibraryReader final : public ItemReader {
public:
    LibraryReader(std::string name, const Type* type, std::function<void()> beforeWaiting)
        : file(std::move(name)), item(type), waiting(std::move(beforeWaiting)) {}
    ~LibraryReader() override { strc_reader_close(&reader); }
    LibraryReader(const LibraryReader&) = delete;
    LibraryReader& operator=(const LibraryReader&) = delete;

    Status open(const strc_format& format) {
        strc_before_waiting flush{nullptr, this};
        if (waiting) flush.call = [](void* self) { static_cast<LibraryReader*>(self)->waiting(); };
        if (strc_reader_open(&reader, &format, item.get(), file.c_str(), faults.origin(), flush) ==
            0)
            return base::ok();
        return failure();
    }

    Result<std::size_t> read(std::byte* to, std::size_t count) override {
        const std::int64_t got = reader.format->read(&reader, to, count);
        if (got < 0) return failure();
        return static_cast<std::size_t>(got);
    }

    bool rewind() override { return reader.format->rewind(&reader) != 0; }

    std::optional<std::uint64_t> total() const override {
        const std::uint64_t items = reader.format->total(&reader);
        return items == STRC_UNKNOWN ? std::nullopt : std::optional(items);
    }

    Rest rest() const override {
        return {strc_reader_rest(&reader), reader.item_bytes, reader.format == &strc_format_raw};
    }

    std::uint64_t missing() const override { return reader.missing; }

    StreamInfo info() const override {
        const strc_stream_info& info = reader.info;
        return {info.channels, info.rate, info.bits, info.floating != 0, info.width, info.height};
    }

private:
    Failure failure() {
        std::optional<Failure> told = faults.take();
        STRC_ASSERT(told, "a reader failed without a word");
        return *told;
    }

    std::string file;
    Item item;
    std::function<void()> waiting;
    Faults faults;
    strc_reader reader{};
};

class LibraryWriter final : public ItemWriter {
public:
    LibraryWriter(std::string name, const Type* type) : file(std::move(name)), item(type) {}
    ~LibraryWriter() override { strc_writer_leave(&writer); }
    LibraryWriter(const LibraryWriter&) = delete;
    LibraryWriter& operator=(const LibraryWriter&) = delete;

    Status open(const strc_format& format, const StreamInfo& info) {
        const strc_stream_info wanted{info.channels,         info.sampleRate, info.bits,
                                      info.floating ? 1 : 0, info.width,      info.height};
        return statusOf(
            strc_writer_open(&writer, &format, item.get(), file.c_str(), faults.origin(), wanted));
    }

    void complete(const strc_heard& heard, const strc_sound_use& use) override {
        if (writer.format->has_sound_header != 0)
            writer.info = strc_heard_complete(&heard, writer.info, use);
    }

    Status write(const std::byte* from, std::size_t count) override {
        return statusOf(writer.format->write(&writer, from, count));
    }

    /// Why nothing is taken any more has been told by whatever failed first.
    Status flush() override {
        return writer.sink.failed != 0 ? base::ok() : statusOf(strc_writer_flush(&writer));
    }

    Status close() override {
        const bool isTold = writer.sink.failed != 0;
        const Status closed = statusOf(strc_writer_close(&writer));
        return isTold ? base::ok() : closed;
    }

    Clipped clipped() const override { return {writer.clipped, writer.sink.name}; }
    bool readerGone() const override { return writer.sink.gone != 0; }

private:
    Status statusOf(int status) {
        if (std::optional<Failure> told = faults.take()) failed = told;
        if (status == 0) return base::ok();
        if (failed) return *failed;
        return base::failure(Diag::CannotWriteFile, {writer.sink.name, std::strerror(EPIPE)});
    }

    std::string file;
    Item item;
    Faults faults;
    std::optional<Failure> failed;
    strc_writer writer{};
};

}  // namespace

bool holdsItem(const strc_format& format, const Type* type) {
    const Item item(type);
    const strc_item asked = item.get();
    return format.holds(&asked) != 0;
}

Result<std::unique_ptr<ItemReader>> openLibraryReader(const strc_format& format,
                                                      const std::string& name, const Type* item,
                                                      std::function<void()> beforeWaiting) {
    auto reader = std::make_unique<LibraryReader>(name, item, std::move(beforeWaiting));
    if (Status opened = reader->open(format); !opened) return opened.failure();
    return reader;
}

Result<std::unique_ptr<ItemWriter>> openLibraryWriter(const strc_format& format,
                                                      const std::string& name, const Type* item,
                                                      const StreamInfo& info) {
    auto writer = std::make_unique<LibraryWriter>(name, item);
    if (Status opened = writer->open(format, info); !opened) return opened.failure();
    return writer;
}

}  // namespace strc::io
