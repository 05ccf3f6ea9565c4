#pragma once
/// Bytes of files, pipes and terminals, buffered, with failures as rows of the table of diagnostics.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/moment.h"
#include "base/result.h"

namespace strc::io {

class Source {
public:
    static base::Result<std::unique_ptr<Source>> open(const std::string& name,
                                                      std::function<void()> beforeWaiting);
    ~Source();
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;

    const std::string& name() const { return path; }
    /// Bytes of a regular file, empty for pipes and terminals.
    std::optional<std::uint64_t> size() const { return bytes; }
    /// Bytes of what has been taken so far: the position in the file.
    std::uint64_t position() const { return taken; }

    /// What is buffered, without reading.
    std::span<const std::byte> buffered() const { return {buffer.data() + first, last - first}; }
    /// Reads until at least `count` bytes are buffered and gives all that are; fewer only at the end.
    base::Result<std::span<const std::byte>> ask(std::size_t count);
    /// Takes bytes that are buffered.
    void take(std::size_t count);
    /// Takes bytes, buffered or not; false at the end of the file.
    base::Result<bool> skip(std::uint64_t count);
    /// Goes to a position of a regular file; false: not a regular file.
    bool seek(std::uint64_t position);

    /// There is nothing behind what is buffered.
    bool atEnd() const { return ended; }
    /// The end came because of a signal.
    bool interrupted() const { return signalled; }
    base::Failure malformed(std::string_view format, const std::string& reason) const;

private:
    Source(int descriptor, std::string name, std::optional<std::uint64_t> size,
           std::function<void()> beforeWaiting);
    base::Result<std::size_t> fill();

    int descriptor;
    std::string path;
    std::optional<std::uint64_t> bytes;
    std::function<void()> beforeWaiting;
    std::vector<std::byte> buffer;
    std::size_t first = 0;
    std::size_t last = 0;
    std::uint64_t taken = 0;
    bool ended = false;
    bool signalled = false;
};

/// Into pipes and terminals bytes are handed on after a moment, as long as more come. What a file held before is lost
/// when the first bytes are handed on, or when it is closed: who does neither leaves it as it was.
class Sink {
public:
    static base::Result<std::unique_ptr<Sink>> open(const std::string& name);
    ~Sink();
    Sink(const Sink&) = delete;
    Sink& operator=(const Sink&) = delete;

    const std::string& name() const { return path; }
    bool seekable() const { return regular; }
    std::uint64_t position() const { return written + used; }
    bool readerGone() const { return gone; }

    base::Status write(const void* from, std::size_t count);
    /// Overwrites bytes of a seekable file.
    base::Status overwrite(std::uint64_t position, const void* from, std::size_t count);
    base::Status flush();
    /// A write has failed: nothing is taken any more, and the file may end in the midst of an item.
    bool failed() const { return error != 0; }
    /// Then: where a seekable file is to end, so that what it holds is whole.
    void cut(std::uint64_t end);
    /// Then: behind which items, and how many these are. No size: there are none.
    std::uint64_t cutToItems(std::uint64_t header, std::uint64_t itemSize);
    base::Status close();
    /// Of a file of nothing but items, or lines: after a failure it ends behind a whole one.
    base::Status closeItems(std::uint64_t itemSize);
    base::Status closeLines();

private:
    Sink(int descriptor, std::string name, bool isNew);
    base::Status begin();
    void leave() const;
    base::Status put(const std::byte* from, std::size_t count);
    void noteLines(const std::byte* from, std::size_t count);
    base::Failure fail(int why);

    int descriptor;
    std::string path;
    bool regular = false;
    bool isNew;  ///< it was not there before
    bool begun = false;
    bool gone = false;
    int error = 0;  ///< of the first failure
    std::vector<std::byte> buffer;
    std::size_t used = 0;
    std::uint64_t written = 0;
    std::uint64_t lastLine = 0;  ///< behind the last end of a line in it
    base::Moment handedOn;  ///< since bytes were handed on last
};

}  // namespace strc::io
