/// The functions of CUDA's driver that the runtime calls, found when they are first needed: nothing is linked with it.
/// Private to the runtime.
#ifndef STRC_DRIVER_H
#define STRC_DRIVER_H

#include <stddef.h>

typedef int cu_result;  ///< 0: fine
typedef int cu_device;
typedef unsigned long long cu_address;
typedef struct cu_opaque *cu_handle;  ///< of contexts, modules, functions, streams, graphs

enum { CU_INVALID = 1, CU_OUT_OF_MEMORY = 2 };
enum { CU_MAJOR = 75, CU_MINOR = 76, CU_PROCESSORS = 16 };  ///< attributes of devices
enum { CU_STREAM_NON_BLOCKING = 1, CU_EVENT_DISABLE_TIMING = 2, CU_CAPTURE_RELAXED = 2 };
enum { CU_JIT_ERROR_LOG = 5, CU_JIT_ERROR_LOG_SIZE = 6 };

// Rows (result, member, symbol, parameters); the symbols are those of the versions that cuda.h names today.
#define STRC_DRIVER_FUNCTIONS(ROW)                                                               \
    ROW(init, "cuInit", (unsigned flags))                                                        \
    ROW(error_string, "cuGetErrorString", (cu_result, const char **text))                        \
    ROW(device_count, "cuDeviceGetCount", (int *count))                                          \
    ROW(device_get, "cuDeviceGet", (cu_device *, int ordinal))                                   \
    ROW(device_attribute, "cuDeviceGetAttribute", (int *value, int which, cu_device))            \
    ROW(context_retain, "cuDevicePrimaryCtxRetain", (cu_handle *, cu_device))                    \
    ROW(context_release, "cuDevicePrimaryCtxRelease_v2", (cu_device))                            \
    ROW(context_set, "cuCtxSetCurrent", (cu_handle))                                             \
    ROW(module_load, "cuModuleLoadDataEx",                                                       \
        (cu_handle *, const void *code, unsigned options, int *names, void **values))            \
    ROW(module_unload, "cuModuleUnload", (cu_handle))                                            \
    ROW(module_function, "cuModuleGetFunction", (cu_handle *, cu_handle module, const char *))   \
    ROW(occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor",                                \
        (int *blocks, cu_handle function, int threads, size_t shared))                           \
    ROW(memory_info, "cuMemGetInfo_v2", (size_t *available, size_t *total))                      \
    ROW(allocate, "cuMemAlloc_v2", (cu_address *, size_t bytes))                                 \
    ROW(release, "cuMemFree_v2", (cu_address))                                                   \
    ROW(host_allocate, "cuMemHostAlloc", (void **, size_t bytes, unsigned flags))                \
    ROW(host_release, "cuMemFreeHost", (void *))                                                 \
    ROW(host_register, "cuMemHostRegister_v2", (void *, size_t bytes, unsigned flags))           \
    ROW(host_unregister, "cuMemHostUnregister", (void *))                                        \
    ROW(upload, "cuMemcpyHtoD_v2", (cu_address, const void *, size_t bytes))                     \
    ROW(upload_async, "cuMemcpyHtoDAsync_v2", (cu_address, const void *, size_t, cu_handle))     \
    ROW(download_async, "cuMemcpyDtoHAsync_v2", (void *, cu_address, size_t, cu_handle))         \
    ROW(copy_async, "cuMemcpyDtoDAsync_v2", (cu_address, cu_address, size_t, cu_handle))         \
    ROW(set_async, "cuMemsetD8Async", (cu_address, unsigned char, size_t, cu_handle))            \
    ROW(set_rows_async, "cuMemsetD2D8Async",                                                     \
        (cu_address, size_t pitch, unsigned char, size_t width, size_t height, cu_handle))       \
    ROW(stream_create, "cuStreamCreate", (cu_handle *, unsigned flags))                          \
    ROW(stream_destroy, "cuStreamDestroy_v2", (cu_handle))                                       \
    ROW(stream_synchronize, "cuStreamSynchronize", (cu_handle))                                  \
    ROW(stream_wait, "cuStreamWaitEvent", (cu_handle, cu_handle event, unsigned flags))          \
    ROW(event_create, "cuEventCreate", (cu_handle *, unsigned flags))                            \
    ROW(event_destroy, "cuEventDestroy_v2", (cu_handle))                                         \
    ROW(event_record, "cuEventRecord", (cu_handle, cu_handle stream))                            \
    ROW(capture_begin, "cuStreamBeginCapture_v2", (cu_handle, int mode))                         \
    ROW(capture_end, "cuStreamEndCapture", (cu_handle, cu_handle * graph))                       \
    ROW(graph_instantiate, "cuGraphInstantiateWithFlags",                                        \
        (cu_handle *, cu_handle graph, unsigned long long flags))                                \
    ROW(graph_launch, "cuGraphLaunch", (cu_handle, cu_handle stream))                            \
    ROW(graph_destroy, "cuGraphDestroy", (cu_handle))                                            \
    ROW(graph_exec_destroy, "cuGraphExecDestroy", (cu_handle))                                   \
    ROW(launch, "cuLaunchKernel",                                                                \
        (cu_handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned shared, \
         cu_handle stream, void **parameters, void **extra))

typedef struct strc_driver {
#define STRC_ROW(member, symbol, parameters) cu_result(*member) parameters;
    STRC_DRIVER_FUNCTIONS(STRC_ROW)
#undef STRC_ROW
} strc_driver;

/// Null: there is none, `*why` says so. It stays loaded. STRC_CUDA_LIB names another library than libcuda.so.1.
const strc_driver *strc_driver_get(const char **why);

#endif
