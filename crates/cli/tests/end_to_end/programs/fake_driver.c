// A driver that does nothing, under the names of the real one: enough of it to see who is asked what.

#include <stddef.h>
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

static address next = 0x100000;

int cuMemAlloc_v2(address *where, size_t bytes) {
    *where = next;
    next += bytes;
    return 0;
}

int cuMemFree_v2(address where) { return where < next ? 0 : 1; }

int cuFuncGetName(const char **name, void *function) {
    if (function == (void *)7) *name = "_Z3addPi";
    else if (function == (void *)8) *name = "scale";
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
