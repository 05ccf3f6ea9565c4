#pragma once
/// Stream graphs built by hand, flattened as elaboration does it (language.md 10, 11, 12.6).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace strc::testing {

enum class StreamKind : std::uint8_t { Filter, Pipeline, SplitJoin, FeedbackLoop };

struct Stream {
    StreamKind kind = StreamKind::Filter;
    std::string name;
    graph::Rates work;
    std::optional<graph::Rates> prework;
    bool hasInput = false;
    bool hasOutput = false;
    std::uint8_t effects = 0;
    bool duplicate = false;                 ///< the splitter
    std::vector<std::int64_t> split, join;  ///< weights; a child without that side has none
    std::vector<Stream> children;           ///< a feedback loop's: body, loop
    std::size_t enqueued = 0;
};

graph::Rates rates(std::int64_t pop, std::int64_t push, std::int64_t peek = 0);

Stream source(std::string name, std::int64_t push);
Stream filter(std::string name, std::int64_t pop, std::int64_t push, std::int64_t peek = 0);
Stream sink(std::string name, std::int64_t pop, std::int64_t peek = 0);
Stream withPrework(Stream, std::int64_t pop, std::int64_t push, std::int64_t peek = 0);
Stream withEffects(Stream, std::uint8_t effects);
Stream pipeline(std::string name, std::vector<Stream> children);
/// No weights: duplicate, or for the joiner all 1.
Stream splitjoin(std::string name, std::vector<std::int64_t> split, std::vector<Stream> children,
                 std::vector<std::int64_t> join = {});
/// A weight 0 outside: no input, no output. No split weights: duplicate.
Stream feedbackloop(std::string name, std::vector<std::int64_t> join, Stream body, Stream loop,
                    std::vector<std::int64_t> split, std::size_t enqueued);

/// Open ends of the stream become those of the program.
graph::Graph build(const Stream&);

/// The node or composite of that name; it has to be there.
graph::NodeId node(const graph::Graph&, const std::string& name);
graph::CompositeId composite(const graph::Graph&, const std::string& name);
graph::EdgeId edge(const graph::Graph&, const std::string& from, const std::string& to);

}  // namespace strc::testing
