/// Whether the thread that runs takes subnormal numbers of float and double for zeros, and gives zeros for them (`--fast-math`). Processors compute
/// with them up to a hundred times slower than with others. Private to the runtime.
///
/// Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1, 10.2.3 (MXCSR); Arm Architecture Reference Manual, FPCR.
#ifndef STRC_SUBNORMALS_H
#define STRC_SUBNORMALS_H

#include <stdint.h>

#if defined(__x86_64__)
#define STRC_SUBNORMALS_FLUSHED 0x8040u  ///< of results (FTZ) and of operands (DAZ)
#elif defined(__aarch64__)
#define STRC_SUBNORMALS_FLUSHED (1u << 24)  ///< of both (FZ)
#else
#define STRC_SUBNORMALS_FLUSHED 0u
#endif

/// Of the register that says how the thread computes: STRC_SUBNORMALS_FLUSHED, 0, or a part of it if somebody else has set that.
static inline uint32_t strc_subnormals(void) {
#if defined(__x86_64__)
    return __builtin_ia32_stmxcsr() & STRC_SUBNORMALS_FLUSHED;
#elif defined(__aarch64__)
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    return (uint32_t)control & STRC_SUBNORMALS_FLUSHED;
#else
    return 0;
#endif
}

/// Rounding and flags of exceptions stay as they are.
static inline void strc_set_subnormals(uint32_t wanted) {
    if (strc_subnormals() == wanted) return;  // writing is slower than reading
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr((__builtin_ia32_stmxcsr() & ~STRC_SUBNORMALS_FLUSHED) | wanted);
#elif defined(__aarch64__)
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    control = (control & ~(uint64_t)STRC_SUBNORMALS_FLUSHED) | wanted;
    __asm__ volatile("msr fpcr, %0" : : "r"(control));
#endif
}

#endif
