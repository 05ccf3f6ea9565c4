/// Code for a CUDA device, done by the processor: PTX is made into C (ptx_to_c.py), compiled and loaded.
#ifndef FAKE_GRID_H
#define FAKE_GRID_H

#include <stdint.h>

typedef struct fake_code fake_code;
typedef struct ptx_entry fake_entry;

typedef struct fake_grid {
    uint32_t blocks[3], threads[3];
} fake_grid;

/// Ends the process with a word if the code cannot be made.
const fake_code* fake_code_of(const char* ptx);
const fake_entry* fake_entry_of(const fake_code*, const char* symbol);
/// The bytes of all parameters, or -1 if they are more than `most`.
int fake_parameters(const fake_entry*, void** parameters, unsigned char* to, int most);
/// All threads of all blocks, in an order of ours: from the first to the last, or the other way round (`is_backward`). Threads
/// that wait for each other take turns; if those of different blocks do, all blocks are at work at once, and more than the device
/// has room for end the process with a word.
void fake_grid_run(const fake_code*, const fake_entry*, const unsigned char* parameters,
                   const fake_grid*, int is_backward);

/// Blocks of a kernel that a processor has at work at the same time: FAKE_CUDA_BLOCKS, or 4.
int fake_blocks_each(void);
enum { FAKE_PROCESSORS = 4 };

/// CUDA's number of what a kernel has done wrong; 0: nothing.
extern int fake_fault;

/// Memory of the device: kernels may touch nothing else.
void fake_memory_add(uint64_t at, uint64_t bytes);
void fake_memory_remove(uint64_t at);

#endif
