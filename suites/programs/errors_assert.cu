// A device assertion that fails in one thread ends the kernel with an error of its own; the message is on standard error.
// verdict: clean, stopped
// exit: 4
#include "check.h"
#undef NDEBUG
#include <cassert>

__global__ void check_sorted(const int* data, int count) {
    int i = threadIdx.x;
    if (i + 1 < count) {
        assert(data[i] <= data[i + 1]);
    }
}

int main() {
    int host[4] = {1, 2, 3, 4};
    int* data;
    CHECK(cudaMalloc(&data, sizeof host));
    CHECK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    check_sorted<<<1, 32>>>(data, 4);
    std::printf("sorted: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    host[3] = 0;
    CHECK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    check_sorted<<<1, 32>>>(data, 4);
    std::printf("not sorted: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 4;
}
