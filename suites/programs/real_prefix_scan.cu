// A prefix sum over several blocks: scan each block, scan the sums of the blocks, add them.
// verdict: clean
#include "check.h"
#include <vector>

constexpr int THREADS = 128;
constexpr int BLOCKS = 16;
constexpr int COUNT = THREADS * BLOCKS;

__global__ void scan_blocks(const int* in, int* out, int* sums) {
    __shared__ int cells[2][THREADS];
    int i = blockIdx.x * blockDim.x + threadIdx.x, which = 0;
    cells[0][threadIdx.x] = in[i];
    __syncthreads();
    for (int distance = 1; distance < blockDim.x; distance *= 2) {
        int value = cells[which][threadIdx.x];
        if (threadIdx.x >= distance) {
            value += cells[which][threadIdx.x - distance];
        }
        which = 1 - which;
        cells[which][threadIdx.x] = value;
        __syncthreads();
    }
    out[i] = cells[which][threadIdx.x];
    if (sums != nullptr && threadIdx.x == blockDim.x - 1) {
        sums[blockIdx.x] = cells[which][threadIdx.x];
    }
}

__global__ void add_sums(int* out, const int* scanned_sums) {
    if (blockIdx.x > 0) {
        out[blockIdx.x * blockDim.x + threadIdx.x] += scanned_sums[blockIdx.x - 1];
    }
}

int main() {
    std::vector<int> host(COUNT), result(COUNT);
    for (int i = 0; i < COUNT; i++) {
        host[i] = (i * 13) % 29;
    }
    int *in, *out, *sums;
    CHECK(cudaMalloc(&in, COUNT * sizeof(int)));
    CHECK(cudaMalloc(&out, COUNT * sizeof(int)));
    CHECK(cudaMalloc(&sums, BLOCKS * sizeof(int)));
    CHECK(cudaMemcpy(in, host.data(), COUNT * sizeof(int), cudaMemcpyHostToDevice));
    scan_blocks<<<BLOCKS, THREADS>>>(in, out, sums);
    scan_blocks<<<1, BLOCKS>>>(sums, sums, nullptr);
    add_sums<<<BLOCKS, THREADS>>>(out, sums);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(result.data(), out, COUNT * sizeof(int), cudaMemcpyDeviceToHost));
    int sum = 0, wrong = 0;
    for (int i = 0; i < COUNT; i++) {
        sum += host[i];
        wrong += result[i] != sum;
    }
    std::printf("last %d, wrong %d\n", result[COUNT - 1], wrong);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFree(sums));
    return wrong == 0 ? 0 : 1;
}
