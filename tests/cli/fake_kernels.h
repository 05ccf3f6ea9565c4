/// Kernels that the fake driver can do: those of filters with some names, whatever their code is, and those of the library.
#ifndef FAKE_KERNELS_H
#define FAKE_KERNELS_H

#include <stdint.h>

typedef struct fake_function fake_function;

enum { kMostArguments = 512 };

/// A launch that has been put off: its arguments are copied.
typedef struct fake_launch {
    const fake_function* function;
    unsigned char arguments[kMostArguments];
} fake_launch;

/// By its symbol ("k0_Twice_0").
const fake_function* fake_kernel(const char* symbol);
fake_launch fake_launch_of(const void* function, void** parameters);
void fake_perform(const fake_launch*);

#endif
