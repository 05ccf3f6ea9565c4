#include "driver/output.h"

#include <cerrno>
#include <cstring>
#include <ostream>

namespace strc::driver {

namespace {

constexpr std::size_t kBufferSize = 1 << 16;

}  // namespace

void Output::write(std::string_view text) {
    buffer += text;
    bool late = lines ? text.find('\n') != std::string_view::npos : handedOn.isOver();
    if (late || buffer.size() >= kBufferSize) flush();
}

void Output::flush() {
    if (!buffer.empty() && error == 0) {
        if (before) before();
        errno = 0;
        to.write(buffer.data(), static_cast<std::streamsize>(buffer.size()));
        to.flush();
        if (!to) error = errno != 0 ? errno : EIO;
    }
    buffer.clear();
    handedOn.begin();
}

bool Output::readerGone() const { return error == EPIPE; }

base::Failure Output::failure() const {
    return base::failure(base::Diag::CannotWriteFile, {"standard output", std::strerror(error)});
}

}  // namespace strc::driver
