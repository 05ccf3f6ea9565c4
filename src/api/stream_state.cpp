// Streams whose state is saved, restored and copied.
#include <new>

#include "api/detail/stream.h"
#include "strc/saved.h"

namespace {

strc_status statusOf(strc_saved_status status) {
    switch (status) {
        case STRC_SAVED_FINE: return STRC_OK;
        case STRC_SAVED_TRUNCATED: return STRC_STATE_TRUNCATED;
        case STRC_SAVED_DAMAGED: return STRC_STATE_DAMAGED;
        case STRC_SAVED_OTHER_PROGRAM: return STRC_STATE_OTHER_PROGRAM;
        case STRC_SAVED_NEWER: return STRC_STATE_NEWER;
    }
    return STRC_STATE_DAMAGED;
}

strc_status cloned(strc_stream& from, strc_stream** to) {
    std::vector<std::byte> state(strc_stream_state_size(&from));
    std::size_t size = 0;
    strc_status status = strc_stream_save(&from, state.data(), state.size(), &size);
    if (status != STRC_OK) return status;
    strc_stream* made = nullptr;
    status = strc_stream_new(from.compiler, &made);
    if (status != STRC_OK) return status;
    strc_stream_set_print(made, from.print, from.printUser);
    *to = made;
    return strc_stream_restore(made, state.data(), size);
}

}  // namespace

strc_status strc_stream_position(const strc_stream* stream, uint64_t* taken, uint64_t* given) {
    if (!stream) return STRC_WRONG_CALL;
    if (taken) *taken = stream->flow->all_taken;
    if (given) *given = stream->flow->all_given;
    return STRC_OK;
}

size_t strc_stream_state_size(const strc_stream* stream) {
    return stream ? strc_saved_most(&stream->facts) : 0;
}

strc_status strc_stream_save(strc_stream* stream, void* to, size_t room, size_t* size) {
    if (size) *size = 0;
    if (!stream || !to || !size || room < strc_stream_state_size(stream)) return STRC_WRONG_CALL;
    const bool isPassing = stream->replacing && stream->replacing->isUnderWay();
    if (isPassing) return STRC_WRONG_CALL;
    if (stream->flow->has_failed) return STRC_FAILED;
    if (strc_saved_why_not(stream->flow)) return STRC_WRONG_CALL;
    *size = strc_saved_write(stream->flow, to);
    return STRC_OK;
}

strc_status strc_stream_restore(strc_stream* stream, const void* from, size_t size) {
    if (!stream || (!from && size != 0)) return STRC_WRONG_CALL;
    const bool isPassing = stream->replacing && stream->replacing->isUnderWay();
    if (isPassing) return STRC_WRONG_CALL;
    return statusOf(strc_saved_read(stream->flow, from, size));
}

strc_status strc_stream_clone(strc_stream* stream, strc_stream** to) {
    if (to) *to = nullptr;
    if (!stream || !to) return STRC_WRONG_CALL;
    return strc::api::guarded(stream->compiler, [&] { return cloned(*stream, to); });
}
