// CUB's device algorithms run twice: the first call says how much scratch memory the second one needs.
#pragma once

#include "check.cuh"

template <typename Call> void run_with_scratch_memory(Call call) {
    size_t bytes = 0;
    REQUIRE_SUCCESS(call(nullptr, bytes));
    void *memory = nullptr;
    REQUIRE_SUCCESS(cudaMalloc(&memory, bytes == 0 ? 1 : bytes));
    REQUIRE_SUCCESS(call(memory, bytes));
    REQUIRE_SUCCESS(cudaDeviceSynchronize());
    REQUIRE_SUCCESS(cudaFree(memory));
}
