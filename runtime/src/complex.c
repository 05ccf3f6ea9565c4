// The textbook formulas in binary64, each part rounded to binary32 once (language.md 16.2).
#include <math.h>

#include "strc/runtime.h"

static double modulus(double re, double im) { return sqrt(re * re + im * im); }

void strc_complex_exp(float *result, float re, float im) {
    double radius = exp(re);
    result[0] = (float)(radius * cos(im));
    result[1] = (float)(radius * sin(im));
}

void strc_complex_sin(float *result, float re, float im) {
    result[0] = (float)(sin(re) * cosh(im));
    result[1] = (float)(cos(re) * sinh(im));
}

void strc_complex_cos(float *result, float re, float im) {
    result[0] = (float)(cos(re) * cosh(im));
    result[1] = (float)(-sin(re) * sinh(im));
}

void strc_complex_log(float *result, float re, float im) {
    result[0] = (float)log(modulus(re, im));
    result[1] = (float)atan2(im, re);
}

/// The principal root.
void strc_complex_sqrt(float *result, float re, float im) {
    double length = modulus(re, im);
    double real = (length + re) / 2;
    double imaginary = (length - re) / 2;
    result[0] = (float)sqrt(real > 0 ? real : 0);
    imaginary = sqrt(imaginary > 0 ? imaginary : 0);
    result[1] = (float)(signbit(im) ? -imaginary : imaginary);
}

/// exp(w log z); the product as `*` of the language has it, in binary32.
void strc_complex_pow(float *result, float re, float im, float exponentRe, float exponentIm) {
    float power[2];
    strc_complex_log(power, re, im);
    float real = exponentRe * power[0] - exponentIm * power[1];
    float imaginary = exponentIm * power[0] + exponentRe * power[1];
    strc_complex_exp(result, real, imaginary);
}

float strc_complex_abs(float re, float im) { return (float)modulus(re, im); }
float strc_complex_arg(float re, float im) { return (float)atan2(im, re); }
