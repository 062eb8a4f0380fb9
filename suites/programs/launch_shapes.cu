// Grids and blocks in one, two and three dimensions, with partial warps; built-in variables say where a thread is.
// verdict: clean
#include "check.h"

__global__ void locate(unsigned* ids) {
    unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    unsigned size = blockDim.x * blockDim.y * blockDim.z;
    ids[block * size + thread] = block * 1000 + thread;
}

static void show(dim3 grid, dim3 block, unsigned* ids) {
    unsigned count = grid.x * grid.y * grid.z * block.x * block.y * block.z;
    CHECK(cudaMemset(ids, 0xff, count * sizeof(unsigned)));
    locate<<<grid, block>>>(ids);
    CHECK(cudaGetLastError());
    static unsigned host[4096];
    CHECK(cudaMemcpy(host, ids, count * sizeof(unsigned), cudaMemcpyDeviceToHost));
    unsigned long long sum = 0;
    for (unsigned i = 0; i < count; i++) {
        sum += host[i];
    }
    std::printf("%u threads, last %u, sum %llu\n", count, host[count - 1], sum);
}

int main() {
    unsigned* ids;
    CHECK(cudaMalloc(&ids, 4096 * sizeof(unsigned)));
    show(dim3(1), dim3(1), ids);
    show(dim3(7), dim3(33), ids);
    show(dim3(3, 2), dim3(5, 7), ids);
    show(dim3(2, 3, 4), dim3(3, 5, 7), ids);
    show(dim3(1, 1, 4), dim3(1, 1, 64), ids);
    show(dim3(4), dim3(1024), ids);
    CHECK(cudaFree(ids));
    return 0;
}
