#pragma once
/// Readers and writers of the library of files (runtime/files), which executables read and write by, too.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/detail/library_item.h"
#include "io/faults.h"
#include "strc/files/file_cycle.h"

namespace strc::io {

/// The functions of a format: for numbers, and for tensors.
const strc_format& functionsOf(Format);
const strc_format& tensorFunctionsOf(Format, bool isOutput);
std::vector<const strc_format*> tensorFunctionsOf(const std::vector<TensorFile>&, bool isOutput);
std::vector<const strc_format*> functionsOf(const std::vector<TurnFile>&);

class LibraryReader final : public ItemReader {
public:
    /// Items of numbers.
    LibraryReader(std::string name, const types::Type*, std::function<void()> beforeWaiting);
    LibraryReader(const std::vector<TensorFile>&, const TensorItems&, std::string owner,
                  std::function<void()> beforeWaiting);
    /// Items of numbers in several files.
    LibraryReader(const std::vector<TurnFile>&, const types::Type*,
                  std::function<void()> beforeWaiting);
    ~LibraryReader() override { strc_reader_close(&reader); }
    LibraryReader(const LibraryReader&) = delete;
    LibraryReader& operator=(const LibraryReader&) = delete;

    /// Of each file.
    base::Status open(std::vector<const strc_format*>);

    base::Result<std::size_t> read(std::byte* to, std::size_t count) override;
    bool rewind() override { return reader.format->rewind(&reader) != 0; }
    std::optional<std::uint64_t> total() const override;
    std::vector<Part> parts() const override;
    Rest rest() const override;
    std::uint64_t missing() const override { return reader.missing; }
    std::uint64_t dropouts() const override;
    StreamInfo info() const override;

    /// For who reads by the library itself: what that reports is kept here.
    strc_reader& inLibrary() { return reader; }
    std::optional<base::Failure> takeFault() { return faults.take(); }

private:
    base::Failure failure();

    std::string file;
    LibraryItem item;
    std::vector<const strc_format*> formats;
    std::function<void()> waiting;
    Faults faults;
    strc_reader reader{};
};

/// What writers have in common: whatever fails is told once.
class FaultsOfWriter {
public:
    strc_origin origin() const { return faults.origin(); }
    base::Status statusOf(int status, const char* file);
    /// The same of what comes behind a failure that has been told.
    base::Status statusBehind(bool isTold, int status, const char* file);

private:
    Faults faults;
    std::optional<base::Failure> failed;
};

class LibraryWriter final : public ItemWriter {
public:
    LibraryWriter(std::string name, const types::Type*);
    LibraryWriter(const std::vector<TensorFile>&, const TensorItems&);
    ~LibraryWriter() override { strc_writer_leave(&writer); }
    LibraryWriter(const LibraryWriter&) = delete;
    LibraryWriter& operator=(const LibraryWriter&) = delete;

    base::Status open(const strc_format&, const StreamInfo&);

    void complete(const strc_heard&, const strc_sound_use&) override;
    base::Status write(const std::byte* from, std::size_t count) override;
    std::optional<std::uint64_t> position() const override;
    base::Status goBack(std::uint64_t position) override;
    base::Status flush() override;
    base::Status close() override;
    Clipped clipped() const override { return {writer.clipped, writer.sink.name}; }
    Dropouts dropouts() const override;
    bool readerGone() const override { return writer.sink.gone != 0; }

private:
    std::string file;
    LibraryItem item;
    FaultsOfWriter faults;
    strc_writer writer{};
};

/// Files that take turns, each of a format of its own, or with what its first tensor says (ItemWriter::expect).
class CycleWriter final : public ItemWriter {
public:
    /// Without types only the run knows what comes.
    CycleWriter(const std::vector<TensorFile>&, const TensorItems&);
    /// Of numbers.
    CycleWriter(const std::vector<TurnFile>&, const types::Type*);
    ~CycleWriter() override;
    CycleWriter(const CycleWriter&) = delete;
    CycleWriter& operator=(const CycleWriter&) = delete;

    base::Status open(const StreamInfo&);

    void complete(const strc_heard&, const strc_sound_use&) override;
    base::Status expect(const types::Type* tensor, const types::Type* memory) override;
    base::Status write(const std::byte* from, std::size_t count) override;
    base::Status flush() override;
    base::Status close() override;
    Clipped clipped() const override;
    bool readerGone() const override { return strc_file_cycle_gone(&cycle) != 0; }

private:
    const char* name() const { return files.front().c_str(); }
    bool hasFailed() const;

    std::vector<std::string> files;
    std::optional<LibraryItem> item;
    std::vector<const strc_format*> formats;
    std::vector<std::int64_t> next;  ///< the shape of the tensor that comes
    FaultsOfWriter faults;
    mutable strc_file_cycle cycle{};
};

}  // namespace strc::io
