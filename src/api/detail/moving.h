#pragma once
/// Parameters that are on their way to a new value, as the program says of them: `/// @smooth cutoff 20 ms` (docs/plug-ins.md). Only while
/// strc_stream_run runs, which knows when time passes.

#include <chrono>
#include <string>
#include <vector>

#include "types/value.h"

struct strc_stream;

namespace strc::api {

class MovingParameters {
public:
    using Clock = std::chrono::steady_clock;

    /// Values that are set from now on are reached in time, or at once.
    void takeTime(bool isWanted) {
        takesTime = isWanted;
        ways.clear();
    }
    /// It has been set otherwise.
    void forget(const std::string& parameter);

    /// True: `parameter`, of that number, is on its way to `value` now, or has got there; false: it has to be set at once.
    bool begin(strc_stream&, const std::string& parameter, std::uint32_t number,
               const types::Value& value);
    /// Sets those that move to where they are at that time.
    void go(strc_stream&, Clock::time_point now);

private:
    struct Way {
        std::string parameter;  ///< by name, since another program may take the stream's place
        double from = 0, to = 0;
        Clock::time_point start;
        double seconds = 0;
    };
    bool arrives(strc_stream&, const Way&, Clock::time_point now);

    std::vector<Way> ways;
    bool takesTime = false;
};

}  // namespace strc::api
