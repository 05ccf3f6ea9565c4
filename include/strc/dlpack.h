/// Tensors as native functions see them: the part of DLPack's binary interface that describes memory which
/// somebody else owns. Sizes, offsets and numbers are those of DLPack 0.8 to 1.x, so a pointer to one of these may be
/// handed to whatever reads a DLTensor.
///
/// Whoever has DLPack's own header includes it first; then its definitions are taken, and these are not there.
#ifndef STRC_DLPACK_H
#define STRC_DLPACK_H

#include <stddef.h>
#include <stdint.h>

#if !defined(DLPACK_VERSION) && !defined(DLPACK_MAJOR_VERSION)

#ifdef __cplusplus
extern "C" {
#endif

/// Where memory is. Native functions run on the processor and get its memory alone.
#ifdef __cplusplus
typedef enum : int32_t { kDLCPU = 1 } DLDeviceType;
#else
typedef enum { kDLCPU = 1 } DLDeviceType;
#endif

typedef struct {
    DLDeviceType device_type;
    int32_t device_id;  ///< 0
} DLDevice;

typedef enum {
    kDLInt = 0,
    kDLUInt = 1,
    kDLFloat = 2,
    kDLBfloat = 4,
    kDLComplex = 5,
    kDLBool = 6,  ///< one byte, 0 or 1
} DLDataTypeCode;

typedef struct {
    uint8_t code;  ///< a DLDataTypeCode
    uint8_t bits;  ///< of one element
    uint16_t lanes;  ///< 1
} DLDataType;

typedef struct {
    void* data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t* shape;  ///< `ndim` extents
    int64_t* strides;  ///< elements from one place to the next, by dimension
    uint64_t byte_offset;  ///< from `data` to the first element
} DLTensor;

#ifdef __cplusplus
}
#endif

#endif

#ifdef __cplusplus
#define STRC_DLPACK_ASSERT static_assert
#else
#define STRC_DLPACK_ASSERT _Static_assert
#endif
STRC_DLPACK_ASSERT(sizeof(DLDevice) == 8 && sizeof(DLDataType) == 4, "as DLPack has them");
STRC_DLPACK_ASSERT(sizeof(void*) != 8 || sizeof(DLTensor) == 48, "as DLPack has it");
STRC_DLPACK_ASSERT(sizeof(void*) != 8 ||
                       (offsetof(DLTensor, device) == 8 && offsetof(DLTensor, ndim) == 16 &&
                        offsetof(DLTensor, dtype) == 20 && offsetof(DLTensor, shape) == 24 &&
                        offsetof(DLTensor, strides) == 32 && offsetof(DLTensor, byte_offset) == 40),
                   "as DLPack has it");
#undef STRC_DLPACK_ASSERT

#endif
