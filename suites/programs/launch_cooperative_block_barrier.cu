// A cooperative launch that uses the block's barrier where the grid's is needed.
// verdict: race
#include "check.h"
#include <cooperative_groups.h>
namespace groups = cooperative_groups;

constexpr int BLOCKS = 4;
constexpr int THREADS = 64;
constexpr int COUNT = BLOCKS * THREADS;

__global__ void shift(int* first, int* second) {
    int i = static_cast<int>(groups::this_grid().thread_rank());
    first[i] = i;
    groups::this_thread_block().sync();
    second[i] = first[COUNT - 1 - i];  //~ race: missing-sync error (with line 13)
}

int main() {
    int *first, *second;
    CHECK(cudaMalloc(&first, COUNT * sizeof(int)));
    CHECK(cudaMalloc(&second, COUNT * sizeof(int)));
    void* arguments[] = {&first, &second};
    CHECK(cudaLaunchCooperativeKernel(shift, dim3(BLOCKS), dim3(THREADS), arguments));
    CHECK(cudaDeviceSynchronize());
    std::printf("shifted %d numbers\n", COUNT);
    CHECK(cudaFree(first));
    CHECK(cudaFree(second));
    return 0;
}
