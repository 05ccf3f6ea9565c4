#include <math.h>

#include "strc/runtime.h"

double strc_round(double x) { return floor(x + 0.5); }

// Math.min and Math.max of Java: a NaN wins, and -0 is less than 0.

double strc_min(double x, double y) {
    if (x != x) return x;
    if (x == 0 && y == 0) return signbit(x) ? x : y;
    return x <= y ? x : y;
}

double strc_max(double x, double y) {
    if (x != x) return x;
    if (x == 0 && y == 0) return signbit(x) ? y : x;
    return x >= y ? x : y;
}
