#pragma once
/// What a program prints: buffered, in order, handed on when it has to be.

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "base/moment.h"
#include "base/result.h"

namespace strc::driver {

class Output {
public:
    /// `byLine`: a person is looking; every line is handed on at once. Otherwise text stays in the
    /// buffer for a moment only: a thread hands it on if the program prints nothing more.
    Output(std::ostream& stream, bool byLine) : to(stream), lines(byLine) {}
    ~Output();
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    void write(std::string_view text);
    void flush();
    /// Called before text is handed on (to remove a progress line from the terminal).
    void beforeFlush(std::function<void()> what) { before = std::move(what); }

    bool failed() const;
    /// Nobody reads the pipe any more, as in `| head`.
    bool readerGone() const;
    base::Failure failure() const;

private:
    void handOn();
    void handOnLate();
    void startThread();

    mutable std::mutex mutex;  ///< of all that follows `lines`
    std::condition_variable changed;
    std::thread late;
    std::ostream& to;
    bool lines;
    std::string buffer;
    std::function<void()> before;
    base::Moment handedOn;  ///< since text was handed on last
    int error = 0;
    bool over = false;
};

}  // namespace strc::driver
