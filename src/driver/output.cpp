#include "driver/detail/output.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <ostream>
#include <system_error>

#include "base/thread.h"

namespace strc::driver {

namespace {

constexpr std::size_t kBufferSize = 1 << 16;
constexpr std::chrono::milliseconds kMoment{100};

}  // namespace

Output::~Output() {
    if (!late.joinable()) return;
    {
        std::lock_guard lock(mutex);
        over = true;
    }
    changed.notify_one();
    late.join();
}

void Output::write(std::string_view text) {
    std::lock_guard lock(mutex);
    const bool wasEmpty = buffer.empty();
    buffer += text;
    bool isDue = lines ? text.find('\n') != std::string_view::npos : handedOn.isOver();
    if (isDue || buffer.size() >= kBufferSize) return handOn();
    if (!wasEmpty || lines || buffer.empty()) return;
    if (late.joinable())
        changed.notify_one();
    else
        startThread();
}

/// Signals are for the thread that may be waiting for input.
void Output::startThread() {
    try {
        late = base::threadWithoutSignals([this] { handOnLate(); });
    } catch (const std::system_error&) {
        handOn();  // there is no thread to be had: nothing waits
    }
}

void Output::handOnLate() {
    std::unique_lock lock(mutex);
    while (!over) {
        changed.wait(lock, [this] { return over || !buffer.empty(); });
        changed.wait_for(lock, kMoment, [this] { return over; });
        if (!over) handOn();
    }
}

void Output::flush() {
    std::lock_guard lock(mutex);
    handOn();
}

void Output::handOn() {
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

bool Output::failed() const {
    std::lock_guard lock(mutex);
    return error != 0;
}

bool Output::readerGone() const {
    std::lock_guard lock(mutex);
    return error == EPIPE;
}

base::Failure Output::failure() const {
    std::lock_guard lock(mutex);
    return base::failure(base::Diag::CannotWriteFile, {"standard output", std::strerror(error)});
}

}  // namespace strc::driver
