/// How threads share chunks (strc/chunks.h): what is tried while a program runs, and remembered. Private to the runtime.
#ifndef STRC_DIVISION_H
#define STRC_DIVISION_H

#include <stdint.h>

typedef struct strc_division {
    uint32_t threads;
    uint32_t slices;  ///< of a chunk
    uint32_t is_coarse;  ///< strc_chunks.coarse, not `fine`
} strc_division;

#endif
