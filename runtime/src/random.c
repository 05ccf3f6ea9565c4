#include "strc/runtime.h"
#include "strc/values.h"

static uint64_t draw(uint64_t *state, int bits) {
    *state = (*state * 0x5DEECE66Dull + 0xB) & ((1ull << 48) - 1);
    return *state >> (48 - bits);
}

double strc_random_next(uint64_t *state) {
    uint64_t high = draw(state, 26);
    uint64_t low = draw(state, 27);
    return (double)((high << 27) + low) / 9007199254740992.0;
}

double strc_random(strc_env *env) { return strc_random_next(&env->random); }
