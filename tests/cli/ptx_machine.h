/// A thread of a CUDA device as the C code sees it that ptx_to_c.py makes of PTX, and what fake_grid.c does for such threads.
/// Registers are 64 bits wide and hold the bits of a value of any type.
#ifndef PTX_MACHINE_H
#define PTX_MACHINE_H

#include <math.h>
#include <stdint.h>
#include <string.h>

typedef struct ptx_thread ptx_thread;

typedef enum ptx_factors { PTX_TF32, PTX_F16, PTX_BF16 } ptx_factors;

typedef struct ptx_calls {
    void (*barrier)(ptx_thread*);  ///< of the block
    void (*warp_barrier)(ptx_thread*, uint32_t mask);
    /// The value of the lane that `mode` ('b', 'd', 'u' or 'i') and `by` name; `is_valid`: there is one.
    uint32_t (*shuffle)(ptx_thread*, char mode, uint32_t value, uint32_t by, uint32_t clamp,
                        uint32_t mask, uint8_t* is_valid);
    uint32_t (*ballot)(ptx_thread*, int is_set, uint32_t mask);
    /// mma.sync of a whole warp: adds the products of 16 rows of a and 8 columns of b to the lane's four sums.
    void (*multiply)(ptx_thread*, ptx_factors, const uint32_t a[4], const uint32_t b[2],
                     float sums[4]);
    /// Before the thread looks again at what others may have written: those of other blocks as well.
    void (*poll)(ptx_thread*);
    void (*leave)(ptx_thread*);  ///< does not return
    /// Bytes of global memory that the thread reads or writes: ends the thread, and fails the kernel, if they are no memory of the device.
    void (*touch)(ptx_thread*, uint64_t at, uint64_t bytes);
} ptx_calls;

struct ptx_thread {
    uint32_t tid[3], ntid[3], ctaid[3], nctaid[3], laneid, warpid;
    unsigned char* shared;  ///< of the block
    const ptx_calls* calls;
};

/// An entry. Parameters lie in one block of bytes.
typedef struct ptx_entry {
    const char* name;
    void (*run)(ptx_thread*, const unsigned char* parameters);
    int parameter_count;
    const int *offsets, *sizes;  ///< of parameters, bytes
    int meets;  ///< threads wait for each other
    int polls;  ///< likewise those of different blocks
} ptx_entry;

/// A variable of the module in global memory.
typedef struct ptx_global {
    void* at;
    uint64_t size;
} ptx_global;

/// What the code of a module exports as `ptx_module`.
typedef struct ptx_code {
    const ptx_entry* entries;
    int entry_count;
    const ptx_global* globals;
    int global_count;
    uint64_t shared_size;
} ptx_code;

// ---- bits

static inline float ptx_f32(uint64_t bits) {
    uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
}
static inline double ptx_f64(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
static inline float ptx_f16(uint64_t bits) {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const float sign = bits >> 15 & 1 ? -1.0f : 1.0f;
    if (exponent == 31) return fraction ? NAN : sign * INFINITY;
    return sign *
           ldexpf((float)(exponent ? fraction + 1024 : fraction), (exponent ? exponent : 1) - 25);
}
static inline float ptx_bf16(uint64_t bits) { return ptx_f32(bits << 16); }
static inline uint64_t ptx_of_f32(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
static inline uint64_t ptx_of_f64(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// ---- instructions that C has no operator for

/// To the nearest number of 11 bits, from halfway away from zero.
static inline uint64_t ptx_tf32(float value) {
    const uint32_t low = 0x1fff;
    return value != value ? 0x7fffffff & ~low : ((uint32_t)ptx_of_f32(value) + 0x1000) & ~low;
}
static inline uint64_t ptx_funnel(uint32_t low, uint32_t high, uint32_t by, int is_left) {
    const uint64_t both = (uint64_t)high << 32 | low;
    return is_left ? (uint32_t)((both << by) >> 32) : (uint32_t)(both >> by);
}
static inline uint64_t ptx_lop3(uint32_t a, uint32_t b, uint32_t c, unsigned table) {
    uint32_t result = 0;
    for (unsigned k = 0; k < 8; ++k)
        if (table >> k & 1) result |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
    return result;
}
static inline uint64_t ptx_permute(uint32_t a, uint32_t b, uint32_t how) {
    const uint64_t both = (uint64_t)b << 32 | a;
    uint32_t result = 0;
    for (unsigned k = 0; k < 4; ++k) {
        const unsigned selector = how >> 4 * k & 15;
        uint32_t byte = both >> 8 * (selector & 7) & 255;
        if (selector & 8) byte = byte & 128 ? 255 : 0;
        result |= byte << 8 * k;
    }
    return result;
}
static inline uint64_t ptx_extract(uint64_t a, uint32_t at, uint32_t length, int width,
                                   int is_signed) {
    at &= 255, length &= 255;
    if (length == 0) return 0;
    const uint64_t sign_at =
        at + length - 1 < (unsigned)width ? at + length - 1 : (unsigned)width - 1;
    const uint64_t sign = is_signed ? a >> sign_at & 1 : 0;
    uint64_t value = at >= (unsigned)width ? 0 : a >> at;
    const uint64_t there = at >= (unsigned)width ? 0 : (unsigned)width - at;
    const uint64_t kept = length < there ? length : there;
    const uint64_t mask = kept >= 64 ? ~0ull : (1ull << kept) - 1;
    value &= mask;
    return sign ? value | ~mask : value;
}
static inline uint64_t ptx_insert(uint64_t a, uint64_t b, uint32_t at, uint32_t length) {
    at &= 255, length &= 255;
    if (at >= 64 || length == 0) return b;
    const uint64_t mask = (length >= 64 ? ~0ull : (1ull << length) - 1) << at;
    return (b & ~mask) | (a << at & mask);
}
static inline double ptx_saturated(double value) { return value > 0 ? (value < 1 ? value : 1) : 0; }
/// To an integer of the device: rounded already, and held in its range; a NaN is 0.
static inline int64_t ptx_to_int(double value, double low, double high, int64_t least,
                                 int64_t most) {
    return value != value ? 0 : value <= low ? least : value >= high ? most : (int64_t)value;
}
static inline uint64_t ptx_to_unsigned(double value, double high, uint64_t most) {
    return !(value > 0) ? 0 : value >= high ? most : (uint64_t)value;
}

#endif
