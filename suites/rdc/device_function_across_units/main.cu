// A kernel that calls functions of another unit: scalars, a structure returned, a structure by reference.
#include <cstdio>

#include "shapes.cuh"

__global__ void kernel(int *out)
{
    const int i = static_cast<int>(threadIdx.x);
    write_through(&out[i], make_pair_of(i));
    out[i] += add_three(i, 1, 2);
}

int main()
{
    int *out = nullptr;
    cudaMalloc(&out, 32 * sizeof(int));
    kernel<<<1, 32>>>(out);
    int host[32] = {};
    cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
    int sum = 0;
    for (int i = 0; i < 32; ++i) {
        sum += host[i];
        if (host[i] != 2 * i + i / 2 + i + 3) {
            std::printf("wrong %d %d %s\n", i, host[i], cudaGetErrorString(cudaGetLastError()));
            return 1;
        }
    }
    std::printf("ok %d\n", sum);
    return 0;
}
