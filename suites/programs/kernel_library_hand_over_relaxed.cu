// One block hands a number to another with a relaxed store: the flag arrives, the number perhaps not.
// verdict: race
#include "check.h"
#include <cuda/atomic>

__global__ void hand_over(int* flag, int* data, int* out) {
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
    if (blockIdx.x == 0) {
        *data = 42;
        ready.store(1, cuda::memory_order_relaxed);
    } else {
        while (ready.load(cuda::memory_order_acquire) == 0) {
        }
        *out = *data;  //~ race: missing-fence error (with line 9)
    }
}

int main() {
    int* memory;
    CHECK(cudaMalloc(&memory, 3 * sizeof(int)));
    CHECK(cudaMemset(memory, 0, 3 * sizeof(int)));
    hand_over<<<2, 1>>>(memory, memory + 1, memory + 2);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::printf("handed over\n");
    CHECK(cudaFree(memory));
    return 0;
}
