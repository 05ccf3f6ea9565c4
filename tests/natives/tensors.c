/* Native functions that tensors.str calls. */
#include <math.h>
#include <string.h>

#include "strc/dlpack.h"

static int64_t count(const DLTensor* x) {
    int64_t elements = 1;
    for (int32_t k = 0; k < x->ndim; k++) elements *= x->shape[k];
    return elements;
}

static const float* floats(const DLTensor* x) {
    return (const float*)((const char*)x->data + x->byte_offset);
}

/// What the tensor says of itself: device, type, steps and extents, -1 where there are none.
void Sample_facts(const DLTensor* x, DLTensor* result) {
    int64_t* facts = result->data;
    for (int64_t k = 0; k < count(result); k++) facts[k] = -1;
    facts[0] = x->device.device_type;
    facts[1] = x->device.device_id;
    facts[2] = x->dtype.code;
    facts[3] = x->dtype.bits;
    facts[4] = x->dtype.lanes;
    facts[5] = x->ndim;
    for (int32_t k = 0; k < x->ndim && k < 3; k++) {
        facts[6 + k] = x->shape[k];
        facts[9 + k] = x->strides[k];
    }
}

float Sample_norm(const DLTensor* x) {
    float sum = 0;
    for (int64_t k = 0; k < count(x); k++) sum += floats(x)[k] * floats(x)[k];
    return sqrtf(sum);
}

/// a[i] * b[j] + by, where the steps say.
void Sample_outer(const DLTensor* a, float by, const DLTensor* b, DLTensor* result) {
    float* to = result->data;
    for (int64_t i = 0; i < result->shape[0]; i++)
        for (int64_t j = 0; j < result->shape[1]; j++)
            to[i * result->strides[0] + j * result->strides[1]] = floats(a)[i] * floats(b)[j] + by;
}

/// How many calls there were before, then the first element.
void Sample_ticket(const DLTensor* x, DLTensor* result) {
    static int32_t calls = 0;
    float* to = result->data;
    to[0] = (float)calls++;
    to[1] = floats(x)[0];
}

void Sample_odd(const DLTensor* x, DLTensor* result) {
    for (int64_t k = 0; k < count(x); k++)
        ((uint8_t*)result->data)[k] = ((const int32_t*)x->data)[k] & 1;
}

void Sample_big(const DLTensor* x, DLTensor* result) {
    for (int64_t k = 0; k < count(x); k++)
        ((int64_t*)result->data)[k] = ((const int64_t*)x->data)[k] << 33;
}

/// Halves with an exponent that is less by three: none of them is small.
void Sample_eighths(const DLTensor* x, DLTensor* result) {
    for (int64_t k = 0; k < count(x); k++) {
        const uint16_t bits = ((const uint16_t*)x->data)[k];
        ((uint16_t*)result->data)[k] = (uint16_t)(bits & 0x7fff ? bits - (3 << 10) : bits);
    }
}

static float kept[2];
void Sample_keep(int32_t place, const DLTensor* x) { kept[place] = floats(x)[0]; }
float Sample_kept(int32_t place) { return kept[place]; }
