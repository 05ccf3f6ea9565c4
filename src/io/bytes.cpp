#include "io/detail/bytes.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace strc::io {

using base::Diag;
using base::Failure;
using base::Result;
using base::Status;

namespace {

constexpr std::size_t kBufferSize = 1 << 16;

std::string shown(const std::string& name, const char* standard) {
    return name == "-" ? standard : name;
}

Failure cannotOpen(const std::string& name, int error) {
    return base::failure(Diag::CannotOpenFile, {name, std::strerror(error)});
}

}  // namespace

// ---------------------------------------------------------------- Source

Source::Source(int opened, std::string name, std::optional<std::uint64_t> size,
               std::function<void()> waiting)
    : descriptor(opened), path(std::move(name)), bytes(size), beforeWaiting(std::move(waiting)) {}

Result<std::unique_ptr<Source>> Source::open(const std::string& name,
                                             std::function<void()> beforeWaiting) {
    std::string path = shown(name, "standard input");
    int descriptor = name == "-" ? STDIN_FILENO : ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return cannotOpen(path, errno);
    struct stat status{};
    int error = fstat(descriptor, &status) != 0 ? errno : S_ISDIR(status.st_mode) ? EISDIR : 0;
    if (error != 0) {
        if (descriptor != STDIN_FILENO) ::close(descriptor);
        return cannotOpen(path, error);
    }
    std::optional<std::uint64_t> size;
    std::uint64_t start = 0;
    if (S_ISREG(status.st_mode)) {
        // Standard input may stand in the middle of a file: what lies before is not ours.
        off_t at = lseek(descriptor, 0, SEEK_CUR);
        start = at > 0 ? static_cast<std::uint64_t>(at) : 0;
        if (start == 0) size = static_cast<std::uint64_t>(status.st_size);
    }
    return std::unique_ptr<Source>(
        new Source(descriptor, std::move(path), size, std::move(beforeWaiting)));
}

Source::~Source() {
    if (descriptor != STDIN_FILENO) ::close(descriptor);
}

/// Appends to the buffer what one read gives; 0 at the end or when a signal came.
Result<std::size_t> Source::fill() {
    if (ended) return std::size_t{0};
    if (first > 0) {
        std::copy(buffer.begin() + static_cast<std::ptrdiff_t>(first),
                  buffer.begin() + static_cast<std::ptrdiff_t>(last), buffer.begin());
        last -= first;
        first = 0;
    }
    if (buffer.size() - last < kBufferSize / 2)
        buffer.resize(std::max(kBufferSize, 2 * buffer.size()));
    if (!bytes && beforeWaiting) {
        pollfd waiting{descriptor, POLLIN, 0};
        if (poll(&waiting, 1, 0) == 0) beforeWaiting();
    }
    ssize_t got = ::read(descriptor, buffer.data() + last, buffer.size() - last);
    if (got < 0 && errno != EINTR)
        return base::failure(Diag::CannotReadFile, {path, std::strerror(errno)});
    if (got <= 0) {
        ended = true;
        signalled = got < 0;
        return std::size_t{0};
    }
    last += static_cast<std::size_t>(got);
    return static_cast<std::size_t>(got);
}

Result<std::span<const std::byte>> Source::ask(std::size_t count) {
    while (last - first < count) {
        Result<std::size_t> got = fill();
        if (!got) return got.failure();
        if (*got == 0) break;
    }
    return buffered();
}

void Source::take(std::size_t count) {
    STRC_ASSERT(count <= last - first, "bytes taken that are not there");
    first += count;
    taken += count;
}

Result<bool> Source::skip(std::uint64_t count) {
    if (count > last - first && bytes) {
        if (taken + count > *bytes) return false;
        return seek(taken + count);
    }
    while (count > last - first) {
        count -= last - first;
        take(last - first);
        Result<std::size_t> got = fill();
        if (!got) return got.failure();
        if (*got == 0) return false;
    }
    take(static_cast<std::size_t>(count));
    return true;
}

bool Source::seek(std::uint64_t position) {
    if (!bytes || lseek(descriptor, static_cast<off_t>(position), SEEK_SET) < 0) return false;
    first = last = 0;
    taken = position;
    ended = false;
    return true;
}

Failure Source::malformed(std::string_view format, const std::string& reason) const {
    return base::failure(Diag::MalformedInput, {path, std::string(format), reason});
}

// ---------------------------------------------------------------- Sink

Sink::Sink(int opened, std::string name, bool made)
    : descriptor(opened), path(std::move(name)), isNew(made), buffer(kBufferSize) {}

Result<std::unique_ptr<Sink>> Sink::open(const std::string& name) {
    std::string path = shown(name, "standard output");
    const bool standard = name == "-";
    constexpr int flags = O_WRONLY | O_CREAT | O_CLOEXEC;
    int descriptor = standard ? STDOUT_FILENO : ::open(name.c_str(), flags | O_EXCL, 0666);
    const bool isNew = !standard && descriptor >= 0;
    if (descriptor < 0) descriptor = ::open(name.c_str(), flags, 0666);
    if (descriptor < 0) return base::failure(Diag::CannotWriteFile, {path, std::strerror(errno)});
    std::unique_ptr<Sink> sink(new Sink(descriptor, std::move(path), isNew));
    struct stat status{};
    sink->regular = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
    // A file opened for appending, or not from its start (`>>`), cannot be corrected later.
    if (sink->regular && standard)
        sink->regular =
            (fcntl(descriptor, F_GETFL) & O_APPEND) == 0 && lseek(descriptor, 0, SEEK_CUR) == 0;
    return sink;
}

Sink::~Sink() {
    if (descriptor <= STDOUT_FILENO) return;
    if (!begun) leave();
    ::close(descriptor);
}

/// Empties the file, once.
Status Sink::begin() {
    if (std::exchange(begun, true) || !regular || descriptor == STDOUT_FILENO) return base::ok();
    return ftruncate(descriptor, 0) == 0 ? base::ok() : Status(fail(errno));
}

/// A file that is there for our sake alone goes, if it has its name still.
void Sink::leave() const {
    struct stat ours{}, named{};
    if (isNew && fstat(descriptor, &ours) == 0 && stat(path.c_str(), &named) == 0 &&
        ours.st_dev == named.st_dev && ours.st_ino == named.st_ino)
        unlink(path.c_str());
}

Failure Sink::fail(int why) {
    if (error == 0) error = why;
    gone = error == EPIPE;
    return base::failure(Diag::CannotWriteFile, {path, std::strerror(error)});
}

void Sink::noteLines(const std::byte* from, std::size_t count) {
    const auto* last = static_cast<const std::byte*>(memrchr(from, '\n', count));
    if (last) lastLine = written + static_cast<std::uint64_t>(last - from) + 1;
}

Status Sink::put(const std::byte* from, std::size_t count) {
    if (count > 0)
        if (Status emptied = begin(); !emptied) return emptied;
    while (count > 0) {
        ssize_t done = ::write(descriptor, from, count);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return fail(errno);
        noteLines(from, static_cast<std::size_t>(done));
        from += done;
        count -= static_cast<std::size_t>(done);
        written += static_cast<std::uint64_t>(done);
    }
    return base::ok();
}

Status Sink::write(const void* from, std::size_t count) {
    if (failed()) return fail(error);
    const auto* bytes = static_cast<const std::byte*>(from);
    if (count > buffer.size() - used) {
        Status flushed = flush();
        if (!flushed) return flushed;
        if (count >= buffer.size()) return put(bytes, count);
    }
    std::copy(bytes, bytes + count, buffer.begin() + static_cast<std::ptrdiff_t>(used));
    used += count;
    return !regular && handedOn.isOver() ? flush() : base::ok();
}

Status Sink::overwrite(std::uint64_t position, const void* from, std::size_t count) {
    const char* bytes = static_cast<const char*>(from);
    while (count > 0) {
        ssize_t done = pwrite(descriptor, bytes, count, static_cast<off_t>(position));
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return fail(errno);
        bytes += done;
        position += static_cast<std::uint64_t>(done);
        count -= static_cast<std::size_t>(done);
    }
    return base::ok();
}

Status Sink::flush() {
    std::size_t count = std::exchange(used, 0);
    handedOn.begin();
    return put(buffer.data(), count);
}

void Sink::cut(std::uint64_t end) {
    STRC_ASSERT(failed(), "a file is cut that can take more");
    if (regular) (void)!ftruncate(descriptor, static_cast<off_t>(end));  // or it stays as it is
    written = end;
    used = 0;
}

std::uint64_t Sink::cutToItems(std::uint64_t header, std::uint64_t itemSize) {
    const bool any = itemSize != 0 && written >= header;
    const std::uint64_t items = any ? (written - header) / itemSize : 0;
    cut(any ? header + items * itemSize : 0);
    return items;
}

Status Sink::close() {
    Status flushed = flush();
    if (flushed) flushed = begin();
    if (descriptor == STDOUT_FILENO) return flushed;
    int closed = ::close(std::exchange(descriptor, -1));
    if (flushed && closed != 0 && errno != EINTR) return fail(errno);
    return flushed;
}

Status Sink::closeItems(std::uint64_t itemSize) {
    Status flushed = flush();
    if (failed()) cutToItems(0, itemSize);
    Status closed = close();
    return flushed ? closed : flushed;
}

Status Sink::closeLines() {
    Status flushed = flush();
    if (failed()) cut(lastLine);
    Status closed = close();
    return flushed ? closed : flushed;
}

}  // namespace strc::io
