// Samples of sounds as numbers.
#include <math.h>
#include <string.h>

#include "strc/sounds.h"

static const double full_scale_16 = 32768;

static uint32_t little(const unsigned char *bytes, uint32_t size) {
    uint32_t value = 0;
    for (uint32_t k = 0; k < size; ++k) value |= (uint32_t)bytes[k] << 8 * k;
    return value;
}

/// The integer that is full scale.
static double scale_of(strc_sample sample) {
    static const double scales[] = {0, 128, 32768, 8388608, 2147483648.0};
    return scales[sample.size];
}

/// ITU-T G.711: a sign, the number of a segment and a place in it.
static int32_t a_law(unsigned char byte) {
    const unsigned code = byte ^ 0x55u;
    const unsigned segment = code >> 4 & 7;
    const int32_t place = (int32_t)((code & 15) << 4) + 8;
    const int32_t value = segment == 0 ? place : (place + 0x100) << (segment - 1);
    return code & 0x80 ? value : -value;
}

static int32_t mu_law(unsigned char byte) {
    const unsigned code = ~(unsigned)byte;
    const int32_t value = ((int32_t)((code & 15) << 3) + 0x84) << (code >> 4 & 7);
    return code & 0x80 ? 0x84 - value : value - 0x84;
}

static double floating(strc_sample sample, const unsigned char *from) {
    double wide;
    float narrow;
    memcpy(sample.size == 8 ? (void *)&wide : (void *)&narrow, from, sample.size);
    return sample.size == 8 ? wide : (double)narrow;
}

/// To the nearest, and not beyond full scale.
static int32_t nearest(double value, double scale) {
    if (value != value) return 0;
    return (int32_t)lrint(fmin(fmax(value, -scale), scale - 1));
}

int32_t strc_sample_integer(strc_sample sample, const unsigned char *from) {
    const uint32_t above = 32 - 8 * sample.size;
    switch (sample.coding) {
        case STRC_SAMPLE_UNSIGNED:
            return (int32_t)(little(from, sample.size) << above ^ 0x80000000u) >> above;
        case STRC_SAMPLE_SIGNED: return (int32_t)(little(from, sample.size) << above) >> above;
        case STRC_SAMPLE_A_LAW: return a_law(*from);
        case STRC_SAMPLE_MU_LAW: return mu_law(*from);
        default: return nearest(floating(sample, from) * full_scale_16, full_scale_16);
    }
}

double strc_sample_real(strc_sample sample, const unsigned char *from) {
    if (sample.coding == STRC_SAMPLE_FLOATING) return floating(sample, from);
    const int is_law = sample.coding >= STRC_SAMPLE_A_LAW;
    return strc_sample_integer(sample, from) / (is_law ? full_scale_16 : scale_of(sample));
}

static int put_floating(strc_sample sample, double value, unsigned char *to) {
    const float narrow = (float)value;
    memcpy(to, sample.size == 8 ? (const void *)&value : (const void *)&narrow, sample.size);
    return 0;
}

static void put_stored(strc_sample sample, int32_t value, unsigned char *to) {
    uint32_t bits = (uint32_t)value;
    if (sample.coding == STRC_SAMPLE_UNSIGNED) bits ^= 1u << (8 * sample.size - 1);
    for (uint32_t k = 0; k < sample.size; ++k) to[k] = (unsigned char)(bits >> 8 * k);
}

int strc_sample_put_real(strc_sample sample, double value, unsigned char *to) {
    if (sample.coding == STRC_SAMPLE_FLOATING) return put_floating(sample, value, to);
    const double scale = scale_of(sample);
    put_stored(sample, nearest(value * scale, scale), to);
    return value * scale < -scale || value * scale > scale;
}

int strc_sample_put_integer(strc_sample sample, int32_t value, unsigned char *to) {
    if (sample.coding == STRC_SAMPLE_FLOATING)
        return put_floating(sample, value / full_scale_16, to);
    const double scale = scale_of(sample);
    put_stored(sample, nearest(value, scale), to);
    return value < -scale || value > scale - 1;
}
