/// The functions of oneDNN that the runtime calls, found when they are first needed: nothing is linked with it. Its C
/// functions and the numbers here stay what they are for all of version 3. Private to the runtime.
#ifndef STRC_ONEDNN_H
#define STRC_ONEDNN_H

#include <stddef.h>
#include <stdint.h>

typedef int nn_status;  ///< 0: fine
typedef struct nn_opaque_engine *nn_engine;
typedef struct nn_opaque_stream *nn_stream;
typedef struct nn_opaque_view *nn_view;  ///< dnnl_memory_desc_t
typedef struct nn_opaque_memory *nn_memory;
typedef struct nn_opaque_attributes *nn_attributes;
typedef struct nn_opaque_choice *nn_choice;  ///< dnnl_primitive_desc_t
typedef struct nn_opaque_primitive *nn_primitive;

enum { NN_VERSION = 3 };
enum { NN_CPU = 1, NN_IN_ORDER = 1, NN_FLOAT = 3, NN_ANY = 1, NN_SCRATCH_OF_USER = 1 };
enum { NN_INFERENCE = 96, NN_DIRECT = 1 };
enum { NN_SOURCE_VIEW = 129, NN_WEIGHTS_VIEW = 131, NN_RESULT_VIEW = 133, NN_SCRATCH_VIEW = 136 };
enum { NN_SOURCE = 1, NN_RESULT = 17, NN_WEIGHTS = 33, NN_SCRATCH = 80 };  ///< arguments

typedef struct nn_argument {
    int which;
    nn_memory memory;
} nn_argument;

typedef struct nn_version {
    int major, minor, patch;
} nn_version;

// Rows (result, member, symbol, parameters).
#define STRC_ONEDNN_FUNCTIONS(ROW)                                                                \
    ROW(const nn_version *, version, "dnnl_version", (void))                                      \
    ROW(nn_status, engine_create, "dnnl_engine_create", (nn_engine *, int kind, size_t index))    \
    ROW(nn_status, engine_destroy, "dnnl_engine_destroy", (nn_engine))                            \
    ROW(nn_status, stream_create, "dnnl_stream_create", (nn_stream *, nn_engine, unsigned flags)) \
    ROW(nn_status, stream_destroy, "dnnl_stream_destroy", (nn_stream))                            \
    ROW(nn_status, view_create, "dnnl_memory_desc_create_with_strides",                           \
        (nn_view *, int rank, const int64_t *extents, int type, const int64_t *steps))            \
    ROW(nn_status, view_create_any, "dnnl_memory_desc_create_with_tag",                           \
        (nn_view *, int rank, const int64_t *extents, int type, int tag))                         \
    ROW(nn_status, view_destroy, "dnnl_memory_desc_destroy", (nn_view))                           \
    ROW(int, view_equal, "dnnl_memory_desc_equal", (nn_view, nn_view))                            \
    ROW(size_t, view_bytes, "dnnl_memory_desc_get_size", (nn_view))                               \
    ROW(nn_status, memory_create, "dnnl_memory_create",                                           \
        (nn_memory *, nn_view, nn_engine, void *bytes))                                           \
    ROW(nn_status, memory_place, "dnnl_memory_set_data_handle", (nn_memory, void *bytes))         \
    ROW(nn_status, memory_destroy, "dnnl_memory_destroy", (nn_memory))                            \
    ROW(nn_status, attributes_create, "dnnl_primitive_attr_create", (nn_attributes *))            \
    ROW(nn_status, attributes_scratch, "dnnl_primitive_attr_set_scratchpad_mode",                 \
        (nn_attributes, int mode))                                                                \
    ROW(nn_status, attributes_destroy, "dnnl_primitive_attr_destroy", (nn_attributes))            \
    ROW(nn_status, matmul, "dnnl_matmul_primitive_desc_create",                                   \
        (nn_choice *, nn_engine, nn_view source, nn_view weights, nn_view bias, nn_view result,   \
         nn_attributes))                                                                          \
    ROW(nn_status, convolution, "dnnl_convolution_forward_primitive_desc_create",                 \
        (nn_choice *, nn_engine, int purpose, int algorithm, nn_view source, nn_view weights,     \
         nn_view bias, nn_view result, const int64_t *strides, const int64_t *dilations,          \
         const int64_t *before, const int64_t *after, nn_attributes))                             \
    ROW(nn_status, reorder, "dnnl_reorder_primitive_desc_create",                                 \
        (nn_choice *, nn_view from, nn_engine, nn_view to, nn_engine, nn_attributes))             \
    ROW(nn_view, choice_view, "dnnl_primitive_desc_query_md", (nn_choice, int what, int index))   \
    ROW(nn_status, choice_destroy, "dnnl_primitive_desc_destroy", (nn_choice))                    \
    ROW(nn_status, primitive_create, "dnnl_primitive_create", (nn_primitive *, nn_choice))        \
    ROW(nn_status, primitive_execute, "dnnl_primitive_execute",                                   \
        (nn_primitive, nn_stream, int count, const nn_argument *))                                \
    ROW(nn_status, primitive_destroy, "dnnl_primitive_destroy", (nn_primitive))                   \
    ROW(int, threads, "omp_get_max_threads", (void))                                              \
    ROW(void, set_threads, "omp_set_num_threads", (int))

typedef struct strc_onednn {
#define STRC_ROW(result, member, symbol, parameters) result(*member) parameters;
    STRC_ONEDNN_FUNCTIONS(STRC_ROW)
#undef STRC_ROW
} strc_onednn;

/// Loaded at first use, for as long as the process lives. Null: `*why` says why there is none; a text that stays.
const strc_onednn *strc_onednn_get(const char *path, const char **why);

#endif
