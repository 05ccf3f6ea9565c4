#include "weights/detail/reading.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sys/stat.h>
#include <unistd.h>

namespace strc::weights {

namespace {

constexpr std::align_val_t kAlignment{64};
constexpr std::uint64_t kMostAtOnce = std::uint64_t{1} << 30;  ///< systems refuse or cut more

base::Failure unusable(const std::string& path, std::string reason) {
    return base::failure(base::Diag::WeightsFile, {path, std::move(reason)});
}

/// Null: there is not so much memory.
std::shared_ptr<std::byte> memoryOf(std::uint64_t count) {
    auto* bytes = static_cast<std::byte*>(::operator new(count + 1, kAlignment, std::nothrow));
    if (!bytes) return nullptr;
    return {bytes, [](std::byte* held) { ::operator delete(held, kAlignment); }};
}

}  // namespace

struct Reading::Version {
    std::uint64_t size;
    timespec changed;

    static Version of(const struct stat& about) {
        return {static_cast<std::uint64_t>(about.st_size), about.st_mtim};
    }
    bool operator==(const Version& other) const {
        return size == other.size && changed.tv_sec == other.changed.tv_sec &&
               changed.tv_nsec == other.changed.tv_nsec;
    }
};

base::Result<std::unique_ptr<Reading>> Reading::open(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return unusable(path, std::strerror(errno));
    struct stat about{};
    std::string why;
    if (fstat(file, &about) != 0)
        why = std::strerror(errno);
    else if (!S_ISREG(about.st_mode))
        why = "it is no regular file";
    if (!why.empty()) {
        ::close(file);
        return unusable(path, why);
    }
    const Version now = Version::of(about);
    return std::unique_ptr<Reading>(
        new Reading(file, path, std::make_unique<Version>(now), now.size));
}

Reading::Reading(int file, std::string path, std::unique_ptr<Version> opened, std::uint64_t length)
    : file(file), path(std::move(path)), opened(std::move(opened)), length(length) {}

Reading::~Reading() { ::close(file); }

base::Result<Bytes> Reading::read(std::uint64_t begin, std::uint64_t count) const {
    std::shared_ptr<std::byte> bytes = memoryOf(count);
    if (!bytes)
        return unusable(path, "there is not enough memory for " + std::to_string(count) +
                                  " bytes of what it holds");
    std::uint64_t have = 0;
    while (have < count) {
        const ssize_t more = pread(file, bytes.get() + have, std::min(count - have, kMostAtOnce),
                                   static_cast<off_t>(begin + have));
        if (more < 0 && errno == EINTR) continue;
        if (more < 0) return unusable(path, std::strerror(errno));
        if (more == 0) break;
        have += static_cast<std::uint64_t>(more);
    }
    struct stat about{};
    if (have < count || fstat(file, &about) != 0 || !(Version::of(about) == *opened))
        return unusable(path, "it has been written or made shorter while it was read");
    return Bytes(bytes);
}

}  // namespace strc::weights
