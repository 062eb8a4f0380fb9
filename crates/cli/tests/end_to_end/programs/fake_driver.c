// A driver that does nothing, under the names of the real one: enough of it to see who is asked what.

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long address;

// There may be no device, which the driver says when it is started.
int cuInit(unsigned flags) {
    const char *wanted = getenv("FAKE_DEVICES");
    if (wanted && atoi(wanted) == 0) return 100;
    return flags == 0 ? 0 : 1;
}

int cuDeviceGetCount(int *count) {
    const char *wanted = getenv("FAKE_DEVICES");
    *count = wanted ? atoi(wanted) : 1;
    return 0;
}

// One that nobody stands in front of.
int cuDriverGetVersion(int *version) {
    *version = 4242;
    return 0;
}

// Its first argument comes in another register than its second.
int cuTexRefSetMipmapLevelBias(void *texture, float bias) { return (int)(bias * 10) + (int)(size_t)texture; }

int cuModuleLoadData(void **module, const void *image) {
    *module = (void *)(size_t)image;
    return 0;
}

int cuModuleUnload(void *module) { return module ? 0 : 400; }

int cuModuleLoadDataEx(void **module, const void *image, unsigned count, const int *options, void **values) {
    (void)count, (void)options, (void)values;
    return cuModuleLoadData(module, image);
}

int cuDeviceGet(int *device, int number) {
    *device = number;
    return number == 0 ? 0 : 101;
}

int cuDevicePrimaryCtxRetain(void **context, int device) {
    *context = (void *)5;
    return device;
}

int cuCtxSetCurrent(void *context) { return context == (void *)5 ? 0 : 201; }

// The one kernel of every module: it adds 1 to the numbers of an array, one for each thread.
#define INCREMENT ((void *)20)

int cuModuleGetFunctionCount(unsigned *count, void *module) {
    *count = 1;
    return module ? 0 : 400;
}

int cuModuleEnumerateFunctions(void **functions, unsigned count, void *module) {
    for (unsigned i = 0; i < count; i++) functions[i] = INCREMENT;
    return module ? 0 : 400;
}

int cuFuncGetParamInfo(void *function, size_t index, size_t *offset, size_t *bytes) {
    *offset = 0;
    *bytes = 8;
    return function == INCREMENT && index == 0 ? 0 : 1;
}

static address next = 0x100000;

// The memory of the device, from the first address that it gives.
static unsigned char memory[1 << 20];

static unsigned char *at(address where) { return memory + (where - 0x100000); }

int cuMemcpyHtoD_v2(address to, const void *from, size_t bytes) {
    memcpy(at(to), from, bytes);
    return 0;
}

int cuMemcpyDtoH_v2(void *to, address from, size_t bytes) {
    memcpy(to, at(from), bytes);
    return 0;
}

int cuMemsetD8_v2(address to, unsigned char value, size_t bytes) {
    memset(at(to), value, bytes);
    return 0;
}

int cuStreamCreate(void **stream, unsigned flags) {
    *stream = (void *)(size_t)(0x50 + flags);
    return 0;
}

int cuStreamGetFlags(void *stream, unsigned *flags) {
    *flags = (unsigned)(size_t)stream - 0x50;
    return 0;
}

int cuStreamSynchronize(void *stream) { return stream == (void *)0x51 ? 0 : 400; }

int cuMemcpyHtoDAsync_v2(address to, const void *from, size_t bytes, void *stream) {
    return stream == (void *)0x51 ? cuMemcpyHtoD_v2(to, from, bytes) : 400;
}

int cuMemsetD8Async(address to, unsigned char value, size_t bytes, void *stream) {
    return stream == (void *)0x51 ? cuMemsetD8_v2(to, value, bytes) : 400;
}

// A kernel may have done what the device does not allow.
int cuCtxSynchronize(void) { return getenv("FAKE_FAULT") ? 700 : 0; }

int cuMemAlloc_v2(address *where, size_t bytes) {
    *where = next;
    next += bytes;
    return 0;
}

int cuMemFree_v2(address where) { return where < next ? 0 : 1; }

int cuFuncGetName(const char **name, void *function) {
    if (function == (void *)7) *name = "_Z3addPi";
    else if (function == (void *)8) *name = "scale";
    else if (function == INCREMENT) *name = "increment";
    else return 400;
    return 0;
}

int cuKernelGetName(const char **name, void *kernel) {
    if (kernel != (void *)9) return 400;
    *name = "of_library";
    return 0;
}

// Answers all that it was given, in one number.
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **parameters, void **extra) {
    if (gx == 99) return 1;
    if (function == INCREMENT) {
        unsigned *numbers = (unsigned *)at(*(address *)parameters[0]);
        for (unsigned i = 0; i < bx; i++) numbers[i] += 1;
        printf("incremented %u\n", bx);
        fflush(stdout);
        return 0;
    }
    return function && gx == 1 && gy == 2 && gz == 3 && bx == 4 && by == 5 && bz == 6 && shared == 7 &&
                   stream == (void *)8 && *parameters == parameters && extra == NULL ? 0 : 719;
}

int cuLaunchKernel_ptsz(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                        unsigned bz, unsigned shared, void *stream, void **parameters, void **extra) {
    return cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared, stream, parameters, extra);
}

struct config {
    unsigned grid[3], block[3], shared;
    void *stream, *attributes;
    unsigned count;
};

int cuLaunchKernelEx(const struct config *config, void *function, void **parameters, void **extra) {
    return cuLaunchKernel(function, config->grid[0], config->grid[1], config->grid[2], config->block[0],
                          config->block[1], config->block[2], config->shared, config->stream, parameters, extra);
}

int cuGetProcAddress_v2(const char *name, void **function, int version, unsigned long long flags, int *status) {
    static const struct { const char *name; void *function; } known[] = {
        {"cuInit", cuInit},
        {"cuDriverGetVersion", cuDriverGetVersion},
        {"cuMemAlloc", cuMemAlloc_v2},
        {"cuGetProcAddress", cuGetProcAddress_v2},
        {"cuModuleLoadData", cuModuleLoadData},
    };
    (void)version;
    *function = NULL;
    if (strcmp(name, "cuLaunchKernel") == 0) *function = flags & 2 ? (void *)cuLaunchKernel_ptsz : (void *)cuLaunchKernel;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, name) == 0) *function = known[i].function;
    if (status) *status = *function ? 0 : 1;
    return *function ? 0 : 500;
}
