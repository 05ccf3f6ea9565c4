#pragma once
/// The parts of a session. Private to repl.

#include "repl/declarations.h"
#include "repl/detail/classifier.h"
#include "repl/detail/completer.h"
#include "repl/detail/declarer.h"
#include "repl/detail/evaluator.h"
#include "repl/detail/hints.h"
#include "repl/detail/loader.h"
#include "repl/detail/names.h"
#include "repl/detail/output.h"
#include "repl/detail/redefinitions.h"
#include "repl/detail/runner.h"
#include "repl/detail/stream_maker.h"
#include "repl/detail/streams.h"
#include "repl/workbench.h"

namespace strc::repl {

/// Each part knows those above it that it uses. Commands, which may be about anything, get all of them.
struct State {
    explicit State(Callbacks);

    /// Does what one entry says.
    void entry(const Input&);

    Output output;
    Declarations declarations;
    Workbench workbench{declarations};
    Streams streams{output};
    Names names{output, declarations, workbench, streams};
    Evaluator evaluator{output, declarations, workbench};
    Redefinitions redefinitions{output, declarations, workbench, streams};
    Declarer declarer{output, declarations, names, evaluator, redefinitions};
    Loader loader{output, declarations, declarer, redefinitions};
    StreamMaker streamMaker{output, declarations, workbench, streams};
    Runner runner{output, declarations, names, evaluator, streams, streamMaker};
    Classifier classifier{declarations, names, streams, evaluator};
    Completer completer{declarations, workbench, names, streams};
    Hints hints{output, declarations, workbench, names, completer, evaluator};
    bool isTimed = false;  ///< `:time on`
    std::uint64_t inputs = 0;
};

}  // namespace strc::repl
