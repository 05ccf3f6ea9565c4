#include "executable/detail/beside.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace strc::executable {

using base::Status;

base::Failure cannotWrite(const std::string& name, int error) {
    return base::failure(base::Diag::CannotWriteFile, {name, std::strerror(error)});
}

Status writeFile(const std::string& path, std::string_view bytes) {
    errno = 0;
    std::ofstream out(path, std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    out.close();
    return out ? base::ok() : cannotWrite(path, errno != 0 ? errno : EIO);
}

Beside::Beside(const std::string& output) : output(output), path(output + ".XXXXXX") {
    struct stat old{};
    if (stat(output.c_str(), &old) == 0 && !S_ISREG(old.st_mode)) {
        error = S_ISDIR(old.st_mode) ? EISDIR : ENOTSUP;  // a device is not to be replaced
        return;
    }
    int descriptor = mkstemp(path.data());
    error = descriptor < 0 ? errno : 0;
    if (descriptor >= 0) close(descriptor);
    exists = descriptor >= 0;
}

Beside::~Beside() {
    if (exists) unlink(path.c_str());
}

Status Beside::status() const { return error == 0 ? base::ok() : cannotWrite(output, error); }

Status Beside::write(std::string_view text) const {
    if (Status written = writeFile(path, text); !written) return cannotWrite(output, errno);
    return base::ok();
}

Status Beside::complete(bool isProgram) {
    mode_t mask = umask(0);
    umask(mask);
    const mode_t wanted = isProgram ? 0777 : 0666;
    if (chmod(path.c_str(), wanted & ~mask) != 0 || rename(path.c_str(), output.c_str()) != 0)
        return cannotWrite(output, errno);
    exists = false;
    return base::ok();
}

}  // namespace strc::executable
