#include <cerrno>
#include <cstring>

#include "io/detail/library_files.h"
#include "types/tensor_text.h"

namespace strc::io {

using base::Failure;
using base::Status;

namespace {

template <typename File>
std::vector<std::string> namesOf(const std::vector<File>& files) {
    std::vector<std::string> names;
    for (const File& each : files) names.push_back(each.name);
    return names;
}

strc_stream_info asRuntime(const StreamInfo& info) {
    return {info.channels, info.sampleRate, info.bits, info.floating, info.width, info.height};
}

}  // namespace

Status FaultsOfWriter::statusOf(int status, const char* file) {
    if (std::optional<Failure> told = faults.take()) failed = told;
    if (status == 0) return base::ok();
    if (failed) return *failed;
    return base::failure(base::Diag::CannotWriteFile, {file, std::strerror(EPIPE)});
}

Status FaultsOfWriter::statusBehind(bool isTold, int status, const char* file) {
    Status result = statusOf(status, file);
    return isTold ? base::ok() : result;
}

// ---------------------------------------------------------------- one file, or several of one format

LibraryWriter::LibraryWriter(std::string name, const types::Type* type)
    : file(std::move(name)), item(type) {}

LibraryWriter::LibraryWriter(const std::vector<TensorFile>& files, const TensorItems& items)
    : file(files.front().name), item(items, files, {}) {}

Status LibraryWriter::open(const strc_format& format, const StreamInfo& info) {
    return faults.statusOf(strc_writer_open(&writer, &format, item.get(), file.c_str(),
                                            faults.origin(), asRuntime(info)),
                           file.c_str());
}

void LibraryWriter::complete(const strc_heard& heard, const strc_sound_use& use) {
    if (writer.format->has_sound_header != 0)
        writer.info = strc_heard_complete(&heard, writer.info, use);
}

Status LibraryWriter::write(const std::byte* from, std::size_t count) {
    return faults.statusOf(writer.format->write(&writer, from, count), writer.sink.name);
}

std::optional<std::uint64_t> LibraryWriter::position() const {
    if (strc_writer_takes_back(&writer) == 0) return std::nullopt;
    return strc_sink_position(&writer.sink);
}

Status LibraryWriter::goBack(std::uint64_t position) {
    return faults.statusOf(strc_sink_go_back(&writer.sink, position), writer.sink.name);
}

/// Why nothing is taken any more has been told by whatever failed first.
Status LibraryWriter::flush() {
    if (writer.sink.failed != 0) return base::ok();
    return faults.statusOf(strc_writer_flush(&writer), writer.sink.name);
}

Status LibraryWriter::close() {
    const bool isTold = writer.sink.failed != 0;
    return faults.statusBehind(isTold, strc_writer_close(&writer), writer.sink.name);
}

// ---------------------------------------------------------------- files of several formats

ItemWriter::Dropouts LibraryWriter::dropouts() const {
    if (!writer.sink.device) return {};
    return {strc_sound_device_dropouts(writer.sink.device), writer.sink.name};
}

CycleWriter::CycleWriter(const std::vector<TensorFile>& given, const TensorItems& items)
    : files(namesOf(given)), formats(tensorFunctionsOf(given, true)) {
    if (!items.types.empty()) item.emplace(items, given, std::string());
}

CycleWriter::CycleWriter(const std::vector<TurnFile>& given, const types::Type* type)
    : files(namesOf(given)), formats(functionsOf(given)) {
    item.emplace(type, given);
}

CycleWriter::~CycleWriter() {
    for (std::uint32_t k = 0; k < cycle.count; ++k)
        strc_writer_leave(strc_file_cycle_writer(&cycle, k));
    strc_file_cycle_free(&cycle);
}

Status CycleWriter::open(const StreamInfo& info) {
    std::vector<const char*> names;
    for (const std::string& each : files) names.push_back(each.c_str());
    strc_item about{};
    if (item) about = item->get();
    about.formats = formats.data();
    int status = item ? strc_check_formats(&about, faults.origin()) : 0;
    if (status == 0)
        status = strc_file_cycle_open(&cycle, formats.data(), names.data(),
                                      static_cast<std::uint32_t>(files.size()), faults.origin(),
                                      asRuntime(info));
    if (status == 0 && item)
        status =
            about.turns ? strc_turns_begin(&cycle, about) : strc_file_cycle_begin(&cycle, about);
    return faults.statusOf(status, name());
}

void CycleWriter::complete(const strc_heard& heard, const strc_sound_use& use) {
    strc_file_cycle_hear(&cycle, &heard, use);
}

Status CycleWriter::expect(const types::Type* tensor, const types::Type*) {
    next = types::shapeOf(tensor);
    next.push_back(0);
    return base::ok();
}

Status CycleWriter::write(const std::byte* from, std::size_t count) {
    return faults.statusOf(item ? strc_file_cycle_write_items(&cycle, from, count)
                                : strc_file_cycle_write(&cycle, from, next.data()),
                           name());
}

bool CycleWriter::hasFailed() const {
    for (std::uint32_t k = 0; k < cycle.count; ++k)
        if (strc_file_cycle_writer(&cycle, k)->sink.failed != 0) return true;
    return false;
}

Status CycleWriter::flush() {
    return hasFailed() ? base::ok() : faults.statusOf(strc_file_cycle_flush(&cycle), name());
}

Status CycleWriter::close() {
    const bool isTold = hasFailed();
    int status = 0;
    for (std::uint32_t k = 0; k < cycle.count; ++k) {
        strc_writer* writer = strc_file_cycle_writer(&cycle, k);
        if (writer->sink.buffer) status |= strc_writer_close(writer);
    }
    return faults.statusBehind(isTold, status, name());
}

ItemWriter::Clipped CycleWriter::clipped() const {
    for (std::uint32_t k = 0; k < cycle.count; ++k) {
        const strc_writer* writer = strc_file_cycle_writer(&cycle, k);
        if (writer->clipped != 0) return {writer->clipped, writer->sink.name};
    }
    return {};
}

}  // namespace strc::io
