#pragma once
/// A program under one's hands: the reference engine (machine.h), one firing at a time, forwards and
/// backwards, with its channels open to be looked at and its open input fed by hand. What lies in the
/// channels stays between calls.
///
/// The order of the firings is that of the engine without batches. In programs with dynamic rates a step is
/// one firing of a sink, with all that it asks for.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "interp/machine.h"

namespace strc::interp {

enum class Progress : std::uint8_t {
    Fired,
    Waiting,  ///< the open input holds too little for anything to fire
    Ended,  ///< an input file is used up, or nobody takes what is written
    Interrupted,
    Failed  ///< reported; where it is now, is before the step that failed
};

class Live {
public:
    /// Input and output of the options are not used; all references outlive this. `iterations`, `limit` and
    /// `seconds` have no meaning here: whoever steps can count.
    Live(base::Context&, const ir::Module&, const elab::Elaboration&, const graph::Repetitions&,
         types::TypeTable&, const Options&);
    ~Live();
    Live(const Live&) = delete;
    Live& operator=(const Live&) = delete;

    /// False: a file cannot be opened (reported), nothing will ever fire.
    bool isReady() const;

    /// More for the open input, as graph::memoryOf has its items. Throws std::bad_alloc beyond Limits::totalBytes.
    void feed(const std::byte* items, std::uint64_t count);
    /// Who fires in the next step; kNone: nobody can. In programs with dynamic rates not known: kNone.
    graph::NodeId next();
    Progress step();
    /// Steps done from the start.
    std::uint64_t steps() const;
    /// As it was after so many steps; false if that is no longer known or it was interrupted (then as near
    /// after it as is known). What was fed since is in the input. What was printed and written stays: it is
    /// printed again on the way forwards, files only go on where they are longer.
    bool goBack(std::uint64_t to);

    // ---- looking inside
    std::uint64_t size(graph::EdgeId) const;
    /// So many of them, from one on. Of a symbolic program: tensors, with elements as storage has them.
    std::vector<types::Value> items(graph::EdgeId, std::uint64_t most = UINT64_MAX,
                                    std::uint64_t first = 0) const;
    /// Takes the first so many out of a channel. There is no way back behind that.
    void drop(graph::EdgeId, std::uint64_t count);
    std::int64_t firings(graph::NodeId) const;
    /// The node of the last step; kNone before the first.
    graph::NodeId last() const;
    /// Fields of a filter with their values. A tensor that has none yet is without bytes.
    std::vector<types::Value> fields(graph::NodeId) const;
    std::int64_t iterations() const;  ///< steady states completed

    /// Takes what lies at the open output.
    std::vector<types::Value> takeOutput(std::uint64_t most = UINT64_MAX);
    std::uint64_t outputSize() const;
    /// How many items have come before the first that lies there.
    std::uint64_t outputBegin() const;

    /// Files hold what was written so far, as far as their formats allow before the end. False after
    /// reporting a failure.
    bool flush();
    /// Flushes and closes files; nothing fires any more. Failures are reported.
    void close();

private:
    struct Inside;
    std::unique_ptr<Inside> inside;
};

}  // namespace strc::interp
