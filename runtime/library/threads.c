// The threads of a handle, as its host wants them.
#include <string.h>

#include "handle.h"
#include "strc/helpers.h"
#include "strc/partitions.h"

static void end(strc_library *self) {
    strc_helpers_free(self->flow->helpers);
    self->flow->helpers = NULL;
}

/// Whatever the host knows of its options.
static strc_thread_options known(const strc_library *self, const strc_thread_options *how) {
    strc_thread_options all = {0};
    if (how) memcpy(&all, how, how->size < sizeof all ? how->size : sizeof all);
    const uint32_t most = self->about->threads;
    if (all.threads == 0 || all.threads > most) all.threads = most;
    return all;
}

static int make(strc_library *self, const strc_thread_options *how, strc_helpers_refusal *refusal) {
    *refusal = STRC_HELPERS_FINE;
    end(self);
    if (how->threads < 2 || !self->facts.program->partitioning) return 0;
    self->flow->helpers = strc_helpers_new(self->flow, how, refusal);
    self->flow->run_shared = strc_helpers_run;
    return self->flow->helpers ? 0 : 1;
}

/// Why more than one were asked for in vain; "": they were not.
static const char *why_alone(const strc_library *self, const strc_thread_options *how) {
    if (how->threads < 2 || self->facts.program->partitioning) return "";
    return self->facts.program->demand ? "one thread does all: what follows what is decided by the "
                                         "items, as rates are dynamic"
                                       : "one thread does all: when the library was built no part "
                                         "was found that another thread could do";
}

/// Fewer threads than there could be are no fault.
static int begin(strc_library *self) {
    strc_helpers_refusal refusal;
    const strc_thread_options how = known(self, NULL);
    return make(self, &how, &refusal);
}

const strc_threads_calls strc_threads_of_handles = {begin, end};

static int say(strc_library *self, int status, const char *what) {
    memcpy(self->message, what, strlen(what) + 1);
    return status;
}

STRC_EXPORTED int strc_library_threads(strc_library *self, const strc_thread_options *how) {
    strc_helpers_refusal refusal;
    if (!self) return STRC_LIBRARY_CALL;
    if (how && how->size < offsetof(strc_thread_options, threads) + sizeof how->threads)
        return say(self, STRC_LIBRARY_CALL, "'size' of the options is not set");
    const strc_thread_options all = known(self, how);
    if (all.priority < 0 || all.priority > 99)
        return say(self, STRC_LIBRARY_CALL, "a priority is one of 1 to 99, or 0");
    if (make(self, &all, &refusal) != 0)
        return say(self, STRC_LIBRARY_MEMORY, "there is no memory for threads");
    const char *refused = strc_helpers_refusal_text(refusal);
    return refused ? say(self, STRC_LIBRARY_REFUSED, refused)
                   : say(self, STRC_LIBRARY_OK, why_alone(self, &all));
}

STRC_EXPORTED int strc_library_thread_report(strc_library *self, uint32_t thread,
                                             strc_thread_report *to) {
    if (!self) return STRC_LIBRARY_CALL;
    const strc_helpers *helpers = self->flow->helpers;
    if (!to || to->size == 0)
        return say(self, STRC_LIBRARY_CALL, "'size' of the report is not set");
    if (thread >= (helpers ? strc_helpers_threads(helpers) : 1))
        return say(self, STRC_LIBRARY_CALL, "there is no such thread");
    strc_helpers_numbers numbers = {.node = STRC_NOBODY};
    if (helpers) numbers = strc_helpers_tell(helpers, thread);
    strc_thread_report all = {.blocks = numbers.blocks,
                              .joined = numbers.joined,
                              .late = numbers.late,
                              .worst = numbers.worst,
                              .filter = ""};
    const strc_executable *about = self->about;
    if (numbers.node != STRC_NOBODY) all.filter = about->texts + about->paths[numbers.node];
    all.size = to->size < sizeof all ? to->size : sizeof all;
    memcpy(to, &all, all.size);
    return say(self, STRC_LIBRARY_OK, "");
}
