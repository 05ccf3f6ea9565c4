#pragma once
/// Makes streams of what is typed: compiles them, and opens their files. Private to repl.

#include <memory>
#include <string>

#include "repl/declarations.h"
#include "repl/detail/output.h"
#include "repl/detail/running.h"
#include "repl/detail/stream_line.h"
#include "repl/detail/streams.h"
#include "repl/workbench.h"

namespace strc::repl {

class StreamMaker {
public:
    StreamMaker(Output& to, const Declarations& known, const Workbench& bench, Streams& held)
        : output(to), declarations(known), workbench(bench), streams(held) {}

    enum class Use : std::uint8_t {
        Run,
        Look  ///< opens no file and prints nothing
    };
    /// The stream of a line: the present one, one with a name, or a new one.
    std::shared_ptr<Running> meant(const Input&, const Line&, Use);
    /// A stream as it is typed, for a look at it: one that is made for that is not started.
    std::shared_ptr<Running> described(const Input&);
    /// Opens the files of a stream: it can run.
    void begin(const std::shared_ptr<Running>&);

    bool isCompiled = false;  ///< new streams run as machine code

private:
    std::string streamName() const;
    std::shared_ptr<Running> make(const Input&, const std::string& source, MixedText, Use);

    Output& output;
    const Declarations& declarations;
    const Workbench& workbench;
    Streams& streams;
};

}  // namespace strc::repl
