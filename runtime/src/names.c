// Where names of tensors lie between two phases.
#include "strc/demand.h"
#include "strc/symbolic.h"

static void visit(const char *from, const char *end, void (*wanted)(void *, int32_t), void *self) {
    for (; from != end; from += sizeof(int32_t)) wanted(self, *(const int32_t *)from);
}

void strc_each_name(const void *state, const strc_names *names, uint64_t count,
                    void (*wanted)(void *self, int32_t name), void *self) {
    for (uint64_t k = 0; k < count; ++k) {
        const char *at = (const char *)state + names[k].at;
        const strc_queue *queue = (const strc_queue *)at;
        if (names[k].count != 0)
            visit(at, at + names[k].count * sizeof(int32_t), wanted, self);
        else
            visit(queue->first, queue->last, wanted, self);
    }
}
