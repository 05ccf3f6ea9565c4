#pragma once
/// Lines of standard input, for somebody who does not wait for them.

#include <string>
#include <vector>

namespace strc::driver {

class LineInput {
public:
    /// Waits until something can be read, or so many milliseconds. Lines that have come since the last call, without their ends.
    std::vector<std::string> wait(int milliseconds);

private:
    bool readMore();

    std::string text;  ///< that has no end of a line yet
    bool isOver = false;
};

}  // namespace strc::driver
