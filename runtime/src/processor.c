#include "strc/processor.h"

#include <stddef.h>

#if defined(__x86_64__)

#include <cpuid.h>

typedef struct registers {
    unsigned eax, ebx, ecx, edx;
} registers;

static registers ask(unsigned leaf) {
    registers all = {0, 0, 0, 0};
    __get_cpuid_count(leaf, 0, &all.eax, &all.ebx, &all.ecx, &all.edx);
    return all;
}

/// Which registers the system saves when it changes from one process to another.
static unsigned saved_state(void) {
    const unsigned has_xgetbv = 1u << 27;
    if (!(ask(1).ecx & has_xgetbv)) return 0;
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

const char *strc_missing_feature(uint64_t wanted) {
    unsigned saved = saved_state();
    uint64_t row = 1;
#define STRC_FEATURE(name, leaf, part, bit, state)                                     \
    if ((wanted & row) && (!(ask(leaf).part >> (bit) & 1) || ((state) & ~saved) != 0)) \
        return name;                                                                   \
    row <<= 1;
#include "strc/processor_features.def"
#undef STRC_FEATURE
    return NULL;
}

uint64_t strc_processor_identity(void) {
    const registers model = ask(1), maker = ask(0);
    return ((uint64_t)model.eax << 32 | maker.ebx) ^ (uint64_t)model.ecx << 16;
}

#else

uint64_t strc_processor_identity(void) { return 0; }

const char *strc_missing_feature(uint64_t wanted) {
    (void)wanted;
    return NULL;
}

#endif
