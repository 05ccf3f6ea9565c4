/// The header of a weights file as text. Private to safetensors*.c.
#ifndef STRC_SAFETENSORS_HEADER_H
#define STRC_SAFETENSORS_HEADER_H

#include "strc/safetensors.h"

/// Reads the JSON of a header into an index whose arrays are there already: `capacity` tensors, and names of as
/// many bytes as the header has. Offsets are those of the header. 0, or -1 and the reason.
int strc_safe_header(const char *text, size_t size, size_t capacity, strc_safe_index *index,
                     char *why);

#endif
