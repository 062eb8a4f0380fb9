// A group copies to shared memory asynchronously; it meets at a barrier, but does not wait for the copy.
// verdict: race
#include "check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace groups = cooperative_groups;

__global__ void load(const int* numbers, int* out) {
    __shared__ alignas(16) int cells[128];
    groups::thread_block block = groups::this_thread_block();
    groups::memcpy_async(block, cells, numbers, sizeof cells);
    block.sync();
    out[threadIdx.x] = cells[127 - threadIdx.x];  //~ race: async error (with line 11)
    groups::wait(block);
}

int main() {
    int *numbers, *out;
    CHECK(cudaMalloc(&numbers, 128 * sizeof(int)));
    CHECK(cudaMalloc(&out, 128 * sizeof(int)));
    CHECK(cudaMemset(numbers, 0, 128 * sizeof(int)));
    load<<<1, 128>>>(numbers, out);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::printf("loaded\n");
    CHECK(cudaFree(numbers));
    CHECK(cudaFree(out));
    return 0;
}
