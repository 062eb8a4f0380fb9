// What every program of this folder needs besides its kernel: memory, one launch, and a look at the result.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

constexpr int THREADS = 64;  // Two warps: what warp 0 does is not ordered with what warp 1 does.
constexpr int COUNT = 1024;  // Every kernel gets this many integers; element i starts as i.

inline void check(cudaError_t status) {
    if (status != cudaSuccess) {
        std::fprintf(stderr, "CUDA error: %s\n", cudaGetErrorString(status));
        std::exit(1);
    }
}

// Launches `kernel` with `blocks` blocks of 64 threads and gives back what it left in its array.
template <typename... Parameters, typename... Arguments>
const int* launch(void (*kernel)(int*, Parameters...), int blocks, Arguments... arguments) {
    static int values[COUNT];
    for (int i = 0; i < COUNT; i++) {
        values[i] = i;
    }
    int* out;
    check(cudaMalloc(&out, sizeof values));
    check(cudaMemcpy(out, values, sizeof values, cudaMemcpyHostToDevice));
    kernel<<<blocks, THREADS>>>(out, arguments...);
    check(cudaGetLastError());
    check(cudaMemcpy(values, out, sizeof values, cudaMemcpyDeviceToHost));
    check(cudaFree(out));
    return values;
}

// Launches `kernel` and compares element i of what it left, one element per thread, with `expected(i)`. Returns the
// exit code of the program.
template <typename... Parameters, typename Expected, typename... Arguments>
int run(void (*kernel)(int*, Parameters...), int blocks, Expected expected, Arguments... arguments) {
    const int* values = launch(kernel, blocks, arguments...);
    for (int i = 0; i < blocks * THREADS; i++) {
        if (values[i] != expected(i)) {
            std::printf("thread %d: %d instead of %d\n", i, values[i], expected(i));
            return 1;
        }
    }
    std::printf("as expected\n");
    return 0;
}
