#pragma once
/// Finds how threads can share a program: chunks of steady states (plan.h, Chunk). Private to plan.
///
/// A chunk has its own tapes. What it needs of the chunk before is the state of filters that change theirs, and the items that
/// stay on tapes (the windows of filters that peek): each is taken as late and given as early as the steps allow, so filters
/// without state run in all chunks at the same time, and those with state in the order of chunks, each while other threads run
/// other filters. That is coarse-grained data parallelism and software pipelining at once (Gordon, Thies, Amarasinghe, "Exploiting
/// coarse-grained task, data, and pipeline parallelism in stream programs", ASPLOS 2006, sections 4 and 5), with chunks that
/// move from stage to stage in one thread instead of stages that hand data on.

#include <optional>

#include "plan/detail/place.h"
#include "plan/detail/scale.h"
#include "plan/plan.h"
#include "plan/work.h"

namespace strc::plan {

/// Where segments may end: where something is handed to the next chunk, or behind each step, for ranks.
enum class Cuts : std::uint8_t { WhereHandedOver, Everywhere };

/// How many steady states chunks can have, and should.
struct ChunkSize {
    std::int64_t states = 0;  ///< of a slice; 0: there are no chunks
    std::int64_t slices = 1;
    std::int64_t most = 1;  ///< slices that there may be, if memory allows
    Cuts cuts = Cuts::WhereHandedOver;
};

/// None: something would be carried that cannot be. `made` has channels, but need not be laid out:
/// places within fields and tapes count from the beginning of these. `placed` and what it reads are a chunk with all its slices.
std::optional<Chunk> cutIntoSegments(const Plan& made, Placed placed,
                                     const std::vector<std::int64_t>& reads, const ChunkSize&,
                                     const graph::Repetitions&, const WorkEstimate&);
/// More slices than that, as far as tapes that lie there for all of them fit into a near cache; others are used again in each slice.
/// `before`: the channels without the chunk; `capacity`: by tape, what the chunk needs as it is.
void takeMoreSlices(Plan&, Chunk&, const std::vector<Channel>& before,
                    const std::vector<std::int64_t>& capacity, std::int64_t most);
/// Of the segments from `taken` to before `given`.
double workBetween(const Chunk&, std::size_t taken, std::size_t given);
/// Sections between fewer hand-overs, for Chunk::coarse, unless the estimate says that they would be worse.
std::vector<Section> coarseSections(const Chunk&);
/// Texts, which are not carried: they are numbers of a thread's own.
bool hasStrings(const types::Type*);
/// Could threads gain enough to be worth the trouble?
bool canGain(const Chunk&);
/// Once the plan is laid out: what is carried lies at its place in the state.
void placeCarries(Plan&, const graph::Repetitions&);

/// What decides how many steady states a chunk shall have.
struct ChunkLength {
    std::int64_t most = 0;
    double work = 0;  ///< of a steady state (plan/work.h)
    std::int64_t fewest = 1;  ///< firings of a node in a steady state
    std::int64_t states = 0;  ///< if not 0, so many as far as memory allows, whatever their work is
    bool always = false;  ///< also if their work is little
};

struct ChunkPhase {
    Scaled scaled;  ///< all slices of a chunk
    ChunkSize size;
};

/// So many steady states as make a chunk that is worth handing over, each node with all its firings at a stretch.
ChunkPhase chunked(const graph::Graph&, const Scalable&, const ChunkLength&);
/// The fewest firings of those nodes that fire at all.
std::int64_t fewestFirings(const graph::Repetitions&);

}  // namespace strc::plan
