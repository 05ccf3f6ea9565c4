#pragma once
/// What a program prints: buffered, in order, handed on when it has to be.

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

#include "base/moment.h"
#include "base/result.h"

namespace strc::driver {

class Output {
public:
    /// `byLine`: a person is looking; every line is handed on at once. Otherwise text stays in the
    /// buffer for a moment only, as long as the program goes on printing.
    Output(std::ostream& stream, bool byLine) : to(stream), lines(byLine) {}

    void write(std::string_view text);
    void flush();
    /// Called before text is handed on (to remove a progress line from the terminal).
    void beforeFlush(std::function<void()> what) { before = std::move(what); }

    bool failed() const { return error != 0; }
    /// Nobody reads the pipe any more, as in `| head`.
    bool readerGone() const;
    base::Failure failure() const;

private:
    std::ostream& to;
    bool lines;
    std::string buffer;
    std::function<void()> before;
    base::Moment handedOn;  ///< since text was handed on last
    int error = 0;
};

}  // namespace strc::driver
