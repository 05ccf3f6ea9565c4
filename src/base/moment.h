#pragma once
/// How long what is ready may wait in a buffer before those who read it get it.

#include <cstdint>

namespace strc::base {

class Moment {
public:
    void begin();
    /// Has it passed since it began? Cheap: it is asked at every write.
    bool isOver() const;

private:
    std::int64_t start = 0;  ///< nanoseconds of a clock that only goes on
};

}  // namespace strc::base
