#include "strc/rest.h"

enum {
    kFirst = 64,  ///< blocks
    kLongest = 1 << 16,
    /// Times as many blocks have to go well: if less than kFirst * kSound lie between two stops, rests become longer and longer, so less than one
    /// block in a thousand waits.
    kSound = 16,
};

void strc_rest_begin(strc_rest *rest) {
    const uint64_t longer = rest->length == 0 ? kFirst : 2 * rest->length;
    rest->length = longer < kLongest ? longer : kLongest;
    rest->left = rest->length;
    rest->sound = 0;
}

int strc_rest_lasts(strc_rest *rest) {
    if (rest->left == 0) return 0;
    --rest->left;
    return 1;
}

void strc_rest_sound(strc_rest *rest) {
    if (rest->length == 0 || ++rest->sound < kSound * rest->length) return;
    rest->length = rest->length > kFirst ? rest->length / 2 : 0;
    rest->sound = 0;
}
