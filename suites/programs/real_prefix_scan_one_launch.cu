// The prefix sum in one launch: blocks add the sums of those before them, which they do not wait for.
// verdict: race
#include "check.h"

constexpr int THREADS = 64;
constexpr int BLOCKS = 4;
constexpr int COUNT = THREADS * BLOCKS;

__global__ void scan(const int* in, int* out, int* sums) {
    __shared__ int cells[THREADS];
    int i = blockIdx.x * THREADS + threadIdx.x;
    cells[threadIdx.x] = in[i];
    __syncthreads();
    int sum = 0;
    for (int k = 0; k <= threadIdx.x; k++) {
        sum += cells[k];
    }
    if (threadIdx.x == THREADS - 1) {
        sums[blockIdx.x] = sum;
    }
    __syncthreads();
    for (int block = 0; block < blockIdx.x; block++) {
        sum += sums[block];  //~ race: missing-sync error (with line 19)
    }
    out[i] = sum;
}

int main() {
    static int host[COUNT];
    for (int i = 0; i < COUNT; i++) {
        host[i] = i % 3;
    }
    int *in, *out, *sums;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMalloc(&sums, BLOCKS * sizeof(int)));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(sums, 0, BLOCKS * sizeof(int)));
    scan<<<BLOCKS, THREADS>>>(in, out, sums);
    CHECK(cudaGetLastError());
    int last_of_first_block = 0;
    CHECK(cudaMemcpy(&last_of_first_block, out + THREADS - 1, sizeof(int), cudaMemcpyDeviceToHost));
    std::printf("the first block is right: %d\n", last_of_first_block);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFree(sums));
    return 0;
}
