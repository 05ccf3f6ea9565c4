/* A built-in function in a library (vector_math_test.py) beside libm's: the same bits for each STEP-th float, or for as many pairs
 * of floats. FUNCTION, ARGUMENTS and the header of the library are given. */

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libp.h"

enum { BLOCK = 4096 };

static float in[2 * BLOCK], out[BLOCK];

static float of_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static int is_same(float x, float y) { return memcmp(&x, &y, sizeof x) == 0; }

#if ARGUMENTS == 1
static float wanted(const float* x) { return (float)FUNCTION((double)x[0]); }

static void next(float* x, uint64_t number) { x[0] = of_bits((uint32_t)number); }
#else
static inline double arg(double re, double im) { return atan2(im, re); }

static float wanted(const float* x) { return (float)FUNCTION((double)x[0], (double)x[1]); }

/* Any two bit patterns, two numbers of ordinary size, and small whole numbers and halves in turn. */
static void next(float* x, uint64_t number) {
    const uint64_t bits = number * 0x9e3779b97f4a7c15u ^ (number * 0xbf58476d1ce4e5b9u) >> 29;
    for (int k = 0; k < 2; ++k) {
        const uint32_t own = (uint32_t)(bits >> (32 * k));
        if (number % 3 == 0)
            x[k] = of_bits(own);
        else if (number % 3 == 1)
            x[k] = of_bits((own & 0x807fffff) | (120 + (own >> 23) % 12) << 23);
        else
            x[k] = (float)((int)(own % 65) - 32) / 2;
    }
}
#endif

int main(int count, char** words) {
    const uint64_t step = count > 1 ? strtoull(words[1], NULL, 10) : 1;
    Function_handle* handle = Function_create(NULL);
    for (uint64_t number = 0; number < UINT64_C(1) << 32;) {
        size_t items = 0, taken, given;
        for (; items < BLOCK && number < UINT64_C(1) << 32; number += step)
            next(in + ARGUMENTS * items++, number);
        if (Function_process(handle, in, ARGUMENTS * items, out, items, &taken, &given) !=
                Function_OK ||
            given != items)
            return 2;
        for (size_t k = 0; k < items; ++k) {
            const float *x = in + ARGUMENTS * k, right = wanted(x);
            if (is_same(out[k], right)) continue;
            printf("of %a (and %a) it is %a instead of %a\n", x[0], x[ARGUMENTS - 1], out[k],
                   right);
            return 1;
        }
    }
    Function_destroy(handle);
    return 0;
}
