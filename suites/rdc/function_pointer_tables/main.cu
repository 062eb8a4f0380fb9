// Indirect calls through tables whose entries live in other units.
#include <cstdio>

#include "operations.cuh"

__global__ void kernel(int *out)
{
    const int i = static_cast<int>(threadIdx.x);
    out[i] = table[i & 3](i, 3) + constant_operation(i, 2) + choose(i)(10, i);
}

int main()
{
    int *out = nullptr;
    cudaMalloc(&out, 8 * sizeof(int));
    kernel<<<1, 8>>>(out);
    int host[8] = {};
    cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
    const int expected[8] = {13, 11, 18, 22, 21, 27, 34, 38};
    int sum = 0;
    for (int i = 0; i < 8; ++i) {
        sum += host[i];
        if (host[i] != expected[i]) {
            std::printf("wrong %d %d\n", i, host[i]);
            return 1;
        }
    }
    std::printf("ok %d\n", sum);
    return 0;
}
