#pragma once
/// Runs streams as lines say: `take 10 s <- [1, 2] -> "out.wav"`, `:step`, `:continue`. Private to repl.

#include <cstdint>
#include <memory>
#include <optional>

#include "repl/detail/evaluator.h"
#include "repl/detail/feeder.h"
#include "repl/detail/names.h"
#include "repl/detail/output.h"
#include "repl/detail/results.h"
#include "repl/detail/stream_line.h"
#include "repl/detail/stream_maker.h"
#include "repl/detail/streams.h"

namespace strc::repl {

class Runner {
public:
    Runner(Output& to, Declarations& known, const Names& meanings, Evaluator& values, Streams& held,
           StreamMaker& maker)
        : output(to),
          names(meanings),
          evaluator(values),
          streams(held),
          streamMaker(maker),
          feeder(to, known, meanings, values, maker),
          captured(to, known, meanings) {}

    /// An entry about streams.
    void stream(const Input&);
    /// Goes on with the present stream. `isStepwise`: names the filter that fired last.
    void goOn(Running&, const Goal&, bool isStepwise, const Input&);

    const Results& results() const { return captured; }

private:
    struct Order {
        const Line& line;
        std::optional<std::uint64_t> take;
        const Input& input;
    };
    std::optional<std::uint64_t> countTaken(const Input&, const Line&);
    void run(const std::shared_ptr<Running>&, const Order&);
    bool waitsForInput(const Running&, const Order&);
    void tellWhy(const Running&, Stop, std::optional<std::uint64_t> wanted, std::uint64_t count);
    void checkEnd(Running&, Stop, std::vector<Message>, const Input& place);

    Output& output;
    const Names& names;
    Evaluator& evaluator;
    Streams& streams;
    StreamMaker& streamMaker;
    Feeder feeder;
    Results captured;
};

}  // namespace strc::repl
