// What all programs of this folder share: CHECK ends the program when a CUDA call fails.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call) check_status((call), #call, __FILE__, __LINE__)

inline void check_status(cudaError_t status, const char* call, const char* file, int line) {
    if (status != cudaSuccess) {
        std::fprintf(stderr, "%s:%d: %s: %s (%s)\n", file, line, call, cudaGetErrorString(status), cudaGetErrorName(status));
        std::exit(1);
    }
}
