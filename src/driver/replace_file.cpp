#include "driver/detail/replace_file.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace strc::driver {
namespace {

base::Failure cannotWrite(const std::string& file, int error) {
    return base::failure(base::Diag::CannotWriteFile, {file, std::strerror(error)});
}

/// Writes and closes; 0, or the error.
int writeAll(int file, std::string_view text) {
    int error = 0;
    while (!text.empty()) {
        const ssize_t done = write(file, text.data(), text.size());
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) {
            error = errno;
            break;
        }
        text.remove_prefix(static_cast<std::size_t>(done));
    }
    if (close(file) != 0 && error == 0) error = errno;
    return error;
}

/// What files get that a program makes.
mode_t modeOfNewFiles() {
    const mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

}  // namespace

base::Status replaceFile(const std::string& name, std::string_view text) {
    std::unique_ptr<char, decltype(&std::free)> real(realpath(name.c_str(), nullptr), std::free);
    if (!real && errno != ENOENT) return cannotWrite(name, errno);
    const std::string target = real ? real.get() : name;
    struct stat status{};
    if (real && stat(target.c_str(), &status) != 0) return cannotWrite(name, errno);
    if (real && access(target.c_str(), W_OK) != 0) return cannotWrite(name, errno);
    if (real && !S_ISREG(status.st_mode)) {
        const int file = open(target.c_str(), O_WRONLY | O_CLOEXEC);
        const int error = file < 0 ? errno : writeAll(file, text);
        return error == 0 ? base::ok() : cannotWrite(name, error);
    }
    std::string temporary = target + ".XXXXXX";
    const int file = mkostemp(temporary.data(), O_CLOEXEC);
    if (file < 0) return cannotWrite(name, errno);
    const mode_t mode = real ? status.st_mode & 07777 : modeOfNewFiles();
    int error = fchmod(file, mode) == 0 ? 0 : errno;
    if (const int wrote = writeAll(file, text); error == 0) error = wrote;
    if (error == 0 && rename(temporary.c_str(), target.c_str()) != 0) error = errno;
    if (error == 0) return base::ok();
    unlink(temporary.c_str());
    return cannotWrite(name, error);
}

}  // namespace strc::driver
