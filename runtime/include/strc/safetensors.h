/// Weights files: the safetensors format. A file is the length of a header (8 bytes, the lowest first), the
/// header, which is JSON, and the values, without a gap. The compiler and executables read them with this;
/// nothing in a file is trusted.
#ifndef STRC_SAFETENSORS_H
#define STRC_SAFETENSORS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum strc_safe_type {
#define STRC_SAFE_TYPE(name, bytes) STRC_SAFE_##name,
#include "strc/safetensors.def"
#undef STRC_SAFE_TYPE
    STRC_SAFE_TYPES
} strc_safe_type;

enum {
    STRC_SAFE_LENGTH = 8,  ///< bytes in front of the header, which say how long it is
    STRC_SAFE_DIMENSIONS = 16,  ///< of one tensor, at the most
    STRC_SAFE_HEADER = 100000000,  ///< bytes of a header, at the most; so the format says
    STRC_SAFE_WHY = 400,  ///< bytes of a reason, with its NUL
};

/// A tensor in a file, row by row, the lowest byte of an element first.
typedef struct strc_safe_tensor {
    const char *name;  ///< UTF-8, may contain NUL; lives as long as the index
    size_t name_size;
    uint32_t type;  ///< strc_safe_type
    uint32_t rank;
    uint64_t dims[STRC_SAFE_DIMENSIONS];
    uint64_t begin, size;  ///< bytes, from the beginning of the file
} strc_safe_tensor;

/// The tensors of a file, in ascending order of names (bytes).
typedef struct strc_safe_index {
    strc_safe_tensor *tensors;
    size_t count;
    char *names;
} strc_safe_index;

/// The size of the header, which the first STRC_SAFE_LENGTH bytes of a file contain.
uint64_t strc_safe_header_size(const void *file);
/// Reads the header of a file of so many bytes, of which as much lies in memory. 0, or -1 and half a sentence that says what is wrong
/// ("it is shorter than ..."); the index is empty then. Every tensor lies inside of the file and has as many
/// bytes as its type and shape ask for; no two share any.
int strc_safe_read(const void *file, uint64_t size, strc_safe_index *index,
                   char why[STRC_SAFE_WHY]);
void strc_safe_free(strc_safe_index *index);
/// Null: there is none of that name.
const strc_safe_tensor *strc_safe_find(const strc_safe_index *index, const char *name, size_t size);

/// Can these be the values of the tensor? 0, or -1 and the reason.
int strc_safe_check(const strc_safe_tensor *tensor, const void *values, char why[STRC_SAFE_WHY]);
/// The values, at a place where elements may lie: in the file, or in memory that the caller frees (`copy`, else
/// null). Null, with the reason: they are no values of their type, or there is no memory.
const void *strc_safe_values(const void *file, const strc_safe_tensor *tensor, void **copy,
                             char why[STRC_SAFE_WHY]);
/// A number that other bytes hardly have.
uint64_t strc_safe_hash(const void *bytes, uint64_t size);

/// "F32".
const char *strc_safe_name(uint32_t type);
/// Bytes of an element.
uint64_t strc_safe_bytes(uint32_t type);

#ifdef __cplusplus
}
#endif
#endif
