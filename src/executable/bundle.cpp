#include "executable/bundle.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

#include "executable/detail/beside.h"

namespace strc::executable {

using base::Diag;
using base::Status;

namespace {

constexpr std::size_t kPiece = 1 << 20;

class Descriptor {
public:
    explicit Descriptor(int opened) : number(opened) {}
    ~Descriptor() {
        if (number >= 0) ::close(number);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    /// 0, or why not: some systems find only then that there is no room.
    int close() { return ::close(std::exchange(number, -1)) == 0 ? 0 : errno; }
    operator int() const { return number; }

private:
    int number;
};

/// 0, or why not.
int writeAll(int to, const char* bytes, std::size_t count) {
    while (count > 0) {
        const ssize_t done = ::write(to, bytes, count);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return errno;
        bytes += done;
        count -= static_cast<std::size_t>(done);
    }
    return 0;
}

/// Whichever of the two files fails is the one that is told of; `shown` is what the target is called.
Status copyBytes(const std::string& file, const std::string& target, const std::string& shown) {
    const Descriptor from(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (from < 0) return base::failure(Diag::CannotOpenFile, {file, std::strerror(errno)});
    Descriptor to(::open(target.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
    if (to < 0) return cannotWrite(shown, errno);
    std::vector<char> piece(kPiece);
    for (;;) {
        const ssize_t got = ::read(from, piece.data(), piece.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return base::failure(Diag::CannotReadFile, {file, std::strerror(errno)});
        if (got == 0) break;
        if (int error = writeAll(to, piece.data(), static_cast<std::size_t>(got)); error != 0)
            return cannotWrite(shown, error);
    }
    const int error = to.close();
    return error == 0 ? base::ok() : cannotWrite(shown, error);
}

Status copyTo(const std::string& file, const std::string& target) {
    std::error_code error;
    if (std::filesystem::equivalent(file, target, error)) return base::ok();
    Beside copy(target);
    if (Status made = copy.status(); !made) return made;
    if (Status copied = copyBytes(file, copy.name(), target); !copied) return copied;
    return copy.complete(false);
}

}  // namespace

Bundle::Bundle(std::string name) : folder(std::move(name)) {}

Bundle::~Bundle() {
    std::error_code ignored;  // a folder with files of others stays
    for (auto each = brought.rbegin(); each != brought.rend(); ++each)
        std::filesystem::remove(*each, ignored);
}

Status Bundle::makeFolder() {
    std::filesystem::path made;
    for (const std::filesystem::path& part : folder) {
        made /= part;
        std::error_code error;
        if (std::filesystem::create_directory(made, error)) brought.push_back(made);
        if (error) return base::failure(Diag::CannotWriteFile, {folder.string(), error.message()});
    }
    return base::ok();
}

Status Bundle::fill(const std::vector<std::string>& files) {
    if (Status made = makeFolder(); !made) return made;
    for (const std::string& file : files) {
        const std::filesystem::path target = folder / std::filesystem::path(file).filename();
        std::error_code error;
        const bool isNew = !std::filesystem::exists(target, error);
        if (Status copied = copyTo(file, target.string()); !copied) return copied;
        if (isNew) brought.push_back(target);
    }
    return base::ok();
}

}  // namespace strc::executable
