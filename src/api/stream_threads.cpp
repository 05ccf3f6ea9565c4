// Streams whose calls several threads share.
#include <algorithm>
#include <cstring>
#include <new>

#include "api/detail/stream.h"
#include "strc/helpers.h"

const char* strc_stream::makeThreads(const strc_threading& wanted) {
    strc_helpers_free(flow->helpers);
    flow->helpers = nullptr;
    const unsigned most = compiler->settings.callThreads;
    strc_thread_options how{};
    how.threads = wanted.threads == 0 ? most : std::min(wanted.threads, most);
    how.priority = wanted.priority;
    how.spin = wanted.spin;
    how.processors = wanted.processors;
    // Threads of half a gigabyte of stack each are not worth it.
    if (how.threads < 2 || !facts.program->partitioning || hasOwnStack) return nullptr;
    strc_helpers_refusal refusal = STRC_HELPERS_FINE;
    flow->helpers = strc_helpers_new(flow, &how, &refusal);
    flow->run_shared = strc_helpers_run;
    if (!flow->helpers) throw std::bad_alloc();
    return strc_helpers_refusal_text(refusal);
}

strc_status strc_stream_threads(strc_stream* stream, const strc_threading* how,
                                const char** refused) {
    if (refused) *refused = nullptr;
    if (!stream || (how && how->size == 0)) return STRC_WRONG_CALL;
    strc_threading known{};
    if (how) std::memcpy(&known, how, std::min(how->size, sizeof known));
    if (known.priority < 0 || known.priority > 99) return STRC_WRONG_CALL;
    return strc::api::guarded(stream->compiler, [&] {
        const char* text = stream->makeThreads(known);
        if (refused) *refused = text;
        return STRC_OK;
    });
}

strc_status strc_stream_tell_thread(strc_stream* stream, uint32_t thread, strc_thread_about* to) {
    if (!stream || !to || to->size == 0) return STRC_WRONG_CALL;
    const strc_helpers* helpers = stream->flow->helpers;
    if (thread >= (helpers ? strc_helpers_threads(helpers) : 1)) return STRC_WRONG_CALL;
    strc_helpers_numbers numbers{};
    numbers.node = STRC_NOBODY;
    if (helpers) numbers = strc_helpers_tell(helpers, thread);
    return strc::api::guarded(stream->compiler, [&] {
        stream->late.clear();
        if (numbers.node != STRC_NOBODY)
            stream->late =
                strc::graph::path(stream->compiler->program.plan->program->graph, numbers.node);
        const std::size_t size = std::min(to->size, sizeof *to);
        const strc_thread_about all{size,         numbers.blocks, numbers.joined,
                                    numbers.late, numbers.worst,  stream->late.c_str()};
        std::memcpy(to, &all, size);
        return STRC_OK;
    });
}
