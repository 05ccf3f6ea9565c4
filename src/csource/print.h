#pragma once
/// A program of one filter as one file of C11, which needs nothing of ours. What the file is to its users stands in
/// docs/c-source.md.

#include <cstdint>
#include <string>
#include <vector>

#include "base/context.h"
#include "elab/elaborate.h"
#include "ir/ir.h"

namespace strc::csource {

/// What is printed. All of it outlives the call.
struct Program {
    const base::Context& context;  ///< the texts that places in messages are of, limits
    const ir::Module& module;
    const elab::Elaboration& elaboration;  ///< of one node, a filter
    std::string mainStream;  ///< names begin with it
    std::string
        header;  ///< the declarations, as the header beside the file has them (executable/library.h)
    std::uint64_t identity = 0;  ///< executable::identityOf: by which saved states know it
    bool checks = true;  ///< of bounds, divisions and rates
    /// Items of each input and output that follow each other, if there are several of them (graph/turns.h).
    std::vector<std::uint64_t> inTurns = {}, outTurns = {};
    /// Of a program that was lowered: the graph whose nodes Instr::index of calls means. Null: it is the one filter.
    const graph::Graph* instances = nullptr;
};

/// Items of the two ends of a filter.
struct Counts {
    std::int64_t firstIn = 0;  ///< that have to be there before it begins
    std::int64_t firstPop = 0;  ///< that go then; the others stay
    std::int64_t in = 0, out = 0;  ///< of a firing
    std::int64_t look = 0;  ///< that a firing sees
    std::int64_t firstLook = 0, firstOut = 0;  ///< of its prework
};
Counts countsOf(const elab::Kernel&);

/// At least so many bytes is a handle of the printed file large (NAME_BYTES).
std::int64_t handleBytes(const elab::Elaboration&);

/// Is the program a filter with code of its own, and nothing else?
bool isOneFilter(const elab::Elaboration&);

/// Why there is no C for such a program yet, half a sentence ("..."), or empty. `range`: where; perhaps none.
std::string whyNot(const ir::Module&, const elab::Elaboration&, base::SourceRange& range);

/// The text of the file. Only of what `whyNot` has nothing against.
std::string print(const Program&);

}  // namespace strc::csource
