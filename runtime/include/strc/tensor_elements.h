/// Elements of tensors in memory, and as the world has them, in files and in the memory of other programs: there half and bfloat16
/// have 2 bytes, int8 has one, and all others lie as in memory. Where they differ, elements are converted.
#ifndef STRC_TENSOR_ELEMENTS_H
#define STRC_TENSOR_ELEMENTS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct strc_element_row {
    const char *name;  ///< in the language
    const char *descr;  ///< of NumPy; "": it has no such elements
    size_t size, file_size;  ///< bytes, in memory and outside
    uint32_t safe_type;  ///< strc_safe_type
} strc_element_row;
enum { STRC_ELEMENTS = 8 };
extern const strc_element_row strc_elements[STRC_ELEMENTS];  ///< by strc_element

int strc_is_converted(int64_t element);
/// From the first on, so that `from` may be the end of the memory `to`. Of converted elements alone.
void strc_widen(int64_t element, unsigned char *to, const unsigned char *from, size_t count);
/// The values are some that such elements have.
void strc_narrow(int64_t element, unsigned char *to, const unsigned char *from, size_t count);

#ifdef __cplusplus
}
#endif
#endif
