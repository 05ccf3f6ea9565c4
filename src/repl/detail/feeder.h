#pragma once
/// Feeds streams with what stands behind `<-`: lists, ranges, variables, files. For a stream that does not know the
/// shapes of its tensors yet, that says them. Private to repl.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "repl/declarations.h"
#include "repl/detail/evaluator.h"
#include "repl/detail/file_source.h"
#include "repl/detail/item_lists.h"
#include "repl/detail/names.h"
#include "repl/detail/output.h"
#include "repl/detail/stream_line.h"
#include "repl/detail/stream_maker.h"

namespace strc::repl {

class Feeder {
public:
    Feeder(Output& to, Declarations& known, const Names& meanings, Evaluator& values,
           StreamMaker& maker)
        : output(to),
          declarations(known),
          names(meanings),
          evaluator(values),
          lists(to, known, values),
          streamMaker(maker) {}

    struct Source {
        std::optional<FileSource> file;
        std::string items;  ///< bytes
    };
    /// The source of a line, if it has one. Compiles a stream whose shapes are not known yet for it.
    std::optional<Source> source(const std::shared_ptr<Running>&, const Line&, const Input&);
    void feed(Running&, Source);

    bool takesTensors(const Running&) const;

private:
    /// Tensors behind `<-`: a file, or values in turn.
    struct Arriving {
        std::string file;
        std::vector<session::Held> values;
    };
    Source itemSource(const Running&, const Line&, const Input&);
    Arriving arriving(const Line&, const Input&);
    session::Held tensorOf(const Input&);
    std::vector<std::string> shapesOf(const Running&, const Arriving&, const Input& from);
    void shape(const std::shared_ptr<Running>&, const Arriving&, const Input& from);
    Source tensorSource(const Running&, const Arriving&, const Input& from);

    Output& output;
    Declarations& declarations;
    const Names& names;
    Evaluator& evaluator;
    ItemLists lists;
    StreamMaker& streamMaker;
};

}  // namespace strc::repl
