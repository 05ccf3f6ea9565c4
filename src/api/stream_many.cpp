// Several streams in one call.
#include <algorithm>
#include <vector>

#include "api/detail/stream.h"
#include "strc/lanes.h"

namespace {

/// The arguments of a call.
struct Many {
    strc_stream* const* streams;
    const void* const* in;
    void* const* out;
    std::size_t *consumed, *produced;
    strc_status status = STRC_OK;  ///< of the first stream that failed

    void alone(strc_stretch& part) {
        strc_stream* stream = streams[part.k];
        const auto* from = in ? static_cast<const std::byte*>(in[part.k]) : nullptr;
        auto* to = out ? static_cast<std::byte*>(out[part.k]) : nullptr;
        if (from) from += part.behind_in * stream->facts.in_size;
        if (to) to += part.behind_out * stream->facts.out_size;
        const strc_status one = strc_stream_process(stream, from, part.in_count, to, part.out_count,
                                                    &part.taken, &part.given);
        if (status == STRC_OK) status = one;
    }
    void done(const strc_stretch& all) const {
        if (consumed) consumed[all.k] = all.taken;
        if (produced) produced[all.k] = all.given;
    }
};

/// Null where the program's code has a stack of its own: there it goes on by itself.
strc_flow* flowOf(void* of, std::size_t k) {
    const strc_stream* stream = static_cast<Many*>(of)->streams[k];
    const bool canFit = stream->facts.program->lanes && !stream->hasOwnStack;
    return canFit ? stream->flow : nullptr;
}

/// Streams of one program without tensors, each of them once.
bool areAlike(strc_stream* const* streams, std::size_t count) {
    std::vector<strc_stream*> all(streams, streams + count);
    std::sort(all.begin(), all.end());
    if (std::adjacent_find(all.begin(), all.end()) != all.end()) return false;
    return std::all_of(all.begin(), all.end(), [&](const strc_stream* each) {
        return each && each->knowsMesh() && each->inTypes.empty() && each->outTypes.empty() &&
               each->compiler == all.front()->compiler;
    });
}

}  // namespace

strc_status strc_stream_process_many(strc_stream* const* streams, size_t count,
                                     const void* const* in, size_t in_count, void* const* out,
                                     size_t out_capacity, size_t* consumed, size_t* produced) {
    if ((!streams && count != 0) || !areAlike(streams, count)) return STRC_WRONG_CALL;
    Many many{streams, in, out, consumed, produced};
    strc_many call{};
    call.self = &many;
    call.flow = flowOf;
    call.alone = [](void* of, strc_stretch* part) { static_cast<Many*>(of)->alone(*part); };
    call.done = [](void* of, const strc_stretch* all, int) { static_cast<Many*>(of)->done(*all); };
    call.count = count;
    call.in = reinterpret_cast<const unsigned char* const*>(in);
    call.out = reinterpret_cast<unsigned char* const*>(out);
    call.in_count = in_count;
    call.out_capacity = out_capacity;
    strc_many_process(&call);
    return many.status;
}
