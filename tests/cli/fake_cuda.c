// A driver of CUDA without a device: memory is the host's and kernels do nothing. FAKE_CUDA names a function and the
// result that it gives ("cuMemAlloc_v2=2"); FAKE_CUDA_LOG a file for the calls.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long address;

static int call(const char *name) {
    const char *log = getenv("FAKE_CUDA_LOG"), *fault = getenv("FAKE_CUDA");
    size_t length = strlen(name);
    if (log) {
        FILE *file = fopen(log, "a");
        fprintf(file, "%s\n", name);
        fclose(file);
    }
    return fault && strncmp(fault, name, length) == 0 && fault[length] == '=' ? atoi(fault + length + 1)
                                                                              : 0;
}

int cuGetErrorString(int result, const char **text) {
    *text = result == 2 ? "out of memory" : result == 719 ? "unspecified launch failure" : "some fault";
    return 0;
}
int cuInit(unsigned flags) { return (void)flags, call("cuInit"); }
int cuDeviceGetCount(int *count) { return *count = 1, call("cuDeviceGetCount"); }
int cuDeviceGet(int *device, int ordinal) { return *device = ordinal, call("cuDeviceGet"); }
int cuDeviceGetAttribute(int *value, int which, int device) {
    (void)device;
    *value = which == 75 ? (getenv("FAKE_CUDA_OLD") ? 6 : 9) : which == 76 ? 0 : 4;
    return call("cuDeviceGetAttribute");
}
int cuDevicePrimaryCtxRetain(void **context, int device) {
    (void)device;
    return *context = (void *)1, call("cuDevicePrimaryCtxRetain");
}
int cuDevicePrimaryCtxRelease_v2(int device) { return (void)device, call("cuDevicePrimaryCtxRelease_v2"); }
int cuCtxSetCurrent(void *context) { return (void)context, call("cuCtxSetCurrent"); }
int cuModuleLoadDataEx(void **module, const void *code, unsigned count, int *names, void **values) {
    (void)code, (void)count, (void)names, (void)values;
    return *module = (void *)1, call("cuModuleLoadDataEx");
}
int cuModuleUnload(void *module) { return (void)module, call("cuModuleUnload"); }
int cuModuleGetFunction(void **function, void *module, const char *name) {
    (void)module, (void)name;
    return *function = (void *)1, call("cuModuleGetFunction");
}
int cuMemGetInfo_v2(size_t *available, size_t *total) { return *available = *total = 0, 0; }
int cuMemAlloc_v2(address *to, size_t bytes) {
    int result = call("cuMemAlloc_v2");
    *to = result == 0 ? (address)malloc(bytes) : 0;
    return result;
}
int cuMemFree_v2(address at) { return free((void *)at), call("cuMemFree_v2"); }
int cuMemHostAlloc(void **to, size_t bytes, unsigned flags) {
    (void)flags;
    return *to = calloc(1, bytes), call("cuMemHostAlloc");
}
int cuMemFreeHost(void *at) { return free(at), call("cuMemFreeHost"); }
int cuMemHostRegister_v2(void *at, size_t bytes, unsigned flags) {
    (void)at, (void)bytes, (void)flags;
    return call("cuMemHostRegister_v2");
}
int cuMemHostUnregister(void *at) { return (void)at, call("cuMemHostUnregister"); }
int cuMemcpyHtoD_v2(address to, const void *from, size_t bytes) {
    memcpy((void *)to, from, bytes);
    return call("cuMemcpyHtoD_v2");
}
int cuMemcpyHtoDAsync_v2(address to, const void *from, size_t bytes, void *stream) {
    (void)stream;
    memcpy((void *)to, from, bytes);
    return call("cuMemcpyHtoDAsync_v2");
}
int cuMemcpyDtoHAsync_v2(void *to, address from, size_t bytes, void *stream) {
    (void)stream;
    memcpy(to, (const void *)from, bytes);
    return call("cuMemcpyDtoHAsync_v2");
}
int cuMemcpyDtoDAsync_v2(address to, address from, size_t bytes, void *stream) {
    (void)stream;
    memmove((void *)to, (const void *)from, bytes);
    return call("cuMemcpyDtoDAsync_v2");
}
int cuMemsetD8Async(address to, unsigned char byte, size_t bytes, void *stream) {
    (void)stream;
    memset((void *)to, byte, bytes);
    return call("cuMemsetD8Async");
}
int cuMemsetD2D8Async(address to, size_t pitch, unsigned char byte, size_t width, size_t height, void *stream) {
    (void)stream;
    for (size_t k = 0; k < height; ++k) memset((char *)to + k * pitch, byte, width);
    return call("cuMemsetD2D8Async");
}
int cuStreamCreate(void **stream, unsigned flags) { return (void)flags, *stream = (void *)1, call("cuStreamCreate"); }
int cuStreamDestroy_v2(void *stream) { return (void)stream, call("cuStreamDestroy_v2"); }
int cuStreamSynchronize(void *stream) { return (void)stream, call("cuStreamSynchronize"); }
int cuStreamBeginCapture_v2(void *stream, int mode) {
    return (void)stream, (void)mode, call("cuStreamBeginCapture_v2");
}
int cuStreamEndCapture(void *stream, void **graph) {
    return (void)stream, *graph = (void *)1, call("cuStreamEndCapture");
}
int cuGraphInstantiateWithFlags(void **made, void *graph, unsigned long long flags) {
    return (void)graph, (void)flags, *made = (void *)1, call("cuGraphInstantiateWithFlags");
}
int cuGraphLaunch(void *graph, void *stream) { return (void)graph, (void)stream, call("cuGraphLaunch"); }
int cuGraphDestroy(void *graph) { return (void)graph, call("cuGraphDestroy"); }
int cuGraphExecDestroy(void *graph) { return (void)graph, call("cuGraphExecDestroy"); }
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **parameters, void **extra) {
    (void)function, (void)gx, (void)gy, (void)gz, (void)bx, (void)by, (void)bz, (void)shared;
    (void)stream, (void)parameters, (void)extra;
    return call("cuLaunchKernel");
}
