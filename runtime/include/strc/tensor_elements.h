/// Elements of tensors: they lie in memory as in files and in the memory of other programs.
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
    size_t size;  ///< bytes
    uint32_t safe_type;  ///< strc_safe_type
} strc_element_row;
enum { STRC_ELEMENTS = 8 };
extern const strc_element_row strc_elements[STRC_ELEMENTS];  ///< by strc_element

#ifdef __cplusplus
}
#endif
#endif
