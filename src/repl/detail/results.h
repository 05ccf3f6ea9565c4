#pragma once
/// Takes what comes out of runs to the place behind `->`: a file, a variable; or shows it. Keeps the items of the
/// last run for plots. Private to repl.

#include <memory>

#include "repl/declarations.h"
#include "repl/detail/names.h"
#include "repl/detail/output.h"
#include "repl/detail/running.h"
#include "repl/detail/sink.h"
#include "repl/detail/stream_line.h"

namespace strc::repl {

class Results {
public:
    Results(Output& to, Declarations& known, const Names& meanings)
        : output(to), declarations(known), names(meanings) {}

    /// Refuses a sink that the stream cannot have: a file that it reads or writes would be emptied.
    void check(const Running&, const Line&, const Input&);
    /// `info`: of the file that feeds the stream.
    void open(Sink&, const Input&, const Line&, const Running&, io::StreamInfo info);
    void close(Sink&, const Input&, const std::shared_ptr<Running>&);
    /// Shows the items, which become those of the last run.
    void show(Items, const std::shared_ptr<Running>&);

    const Items& last() const { return items; }

private:
    void openFile(Sink&, const Input& file, const Running&, io::StreamInfo info);
    void closeFile(Sink&, const Input&);
    void declare(const Sink&, const Input&, const types::Type* item);

    Output& output;
    Declarations& declarations;
    const Names& names;
    Items items;  ///< of the last run
    std::shared_ptr<Running> itemsOf;  ///< their types live there
};

}  // namespace strc::repl
