#include "strc/tensor_elements.h"

#include "strc/safetensors.h"
#include "strc/values.h"

const strc_element_row strc_elements[] = {
    [STRC_ELEMENT_BOOLEAN] = {"boolean", "|b1", 1, STRC_SAFE_BOOL},
    [STRC_ELEMENT_INT8] = {"int8", "|i1", 1, STRC_SAFE_I8},
    [STRC_ELEMENT_INT] = {"int", "<i4", 4, STRC_SAFE_I32},
    [STRC_ELEMENT_LONG] = {"long", "<i8", 8, STRC_SAFE_I64},
    [STRC_ELEMENT_HALF] = {"half", "<f2", 2, STRC_SAFE_F16},
    [STRC_ELEMENT_BFLOAT16] = {"bfloat16", "", 2, STRC_SAFE_BF16},
    [STRC_ELEMENT_FLOAT] = {"float", "<f4", 4, STRC_SAFE_F32},
    [STRC_ELEMENT_DOUBLE] = {"double", "<f8", 8, STRC_SAFE_F64},
};
