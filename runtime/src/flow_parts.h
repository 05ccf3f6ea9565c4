/// Parts of flows that several sources know. Private to the runtime.
#ifndef STRC_FLOW_PARTS_H
#define STRC_FLOW_PARTS_H

#include "strc/flow.h"

static inline uint64_t strc_flow_larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

/// Parts of a flow's memory begin at such places.
static inline uint64_t strc_flow_aligned(uint64_t bytes) {
    return (bytes + STRC_FLOW_ALIGNMENT - 1) / STRC_FLOW_ALIGNMENT * STRC_FLOW_ALIGNMENT;
}

/// Items of the open input.
static inline uint64_t strc_flow_reads(const strc_flow_facts *facts, const strc_phase *phase) {
    return facts->program->inputs != 0 ? phase->reads[0] : 0;
}

/// Items for which there is room: those that wait for a phase, and those that wait for the host.
static inline uint64_t strc_flow_most_waiting(const strc_flow_facts *facts) {
    return strc_flow_larger(strc_flow_reads(facts, &facts->program->init),
                            strc_flow_reads(facts, &facts->program->steady));
}
static inline uint64_t strc_flow_most_pending(const strc_flow_facts *facts) {
    return strc_flow_larger(facts->init_writes, facts->steady_writes);
}

/// Bytes that phases leave to each other.
static inline uint64_t strc_flow_kept_bytes(const strc_program *program) {
    uint64_t bytes = 0;
    for (uint64_t k = 0; k < program->kept_count; ++k) bytes += program->kept[k].size;
    return bytes;
}

#endif
