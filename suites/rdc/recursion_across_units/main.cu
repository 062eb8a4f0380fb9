// Recursion that crosses units, with a stack set large enough for it.
#include <cstdio>

#include "parity.cuh"

__global__ void kernel(int *out)
{
    const unsigned i = threadIdx.x;
    out[i] = (is_even(i) ? 1 : 0) + (is_odd(i) ? 10 : 0) + 100 * ackermann(2, static_cast<int>(i));
}

int main()
{
    cudaDeviceSetLimit(cudaLimitStackSize, 16 * 1024);
    int *out = nullptr;
    cudaMalloc(&out, 8 * sizeof(int));
    kernel<<<1, 8>>>(out);
    int host[8] = {};
    cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
    int sum = 0;
    for (int i = 0; i < 8; ++i) {
        sum += host[i];
        if (host[i] != (i % 2 == 0 ? 1 : 10) + 100 * (2 * i + 3)) {
            std::printf("wrong %d %d\n", i, host[i]);
            return 1;
        }
    }
    std::printf("ok %d\n", sum);
    return 0;
}
