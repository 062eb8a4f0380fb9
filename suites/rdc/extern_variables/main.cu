// __device__ and __constant__ variables of another unit, initialised there and changed from the host.
#include <cstdio>

#include "state.cuh"

__global__ void kernel(int *out)
{
    const int i = static_cast<int>(threadIdx.x);
    count(i < limits.high ? 1 : limits.low);
    out[i] = static_cast<int>(table[i & 7] * static_cast<double>(limits.scale)) + weights[i & 3];
    if (i < 8) {
        table[i] = -1.0;
    }
}

int main()
{
    const int changed[4] = {2, 20, 200, 2000};
    cudaMemcpyToSymbol(weights, changed, sizeof(changed));
    int *out = nullptr;
    cudaMalloc(&out, 8 * sizeof(int));
    kernel<<<1, 8>>>(out);
    int host[8] = {};
    cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
    int counted = 0;
    double first = 0;
    cudaMemcpyFromSymbol(&counted, counter, sizeof(counted));
    cudaMemcpyFromSymbol(&first, table, sizeof(first));
    const int expected[8] = {3, 23, 204, 2006, 9, 29, 210, 2012};
    for (int i = 0; i < 8; ++i) {
        if (host[i] != expected[i]) {
            std::printf("wrong %d %d\n", i, host[i]);
            return 1;
        }
    }
    if (counted != 108 || first != -1.0) {
        std::printf("wrong %d %f\n", counted, first);
        return 1;
    }
    std::printf("ok %d %d\n", counted, host[7]);
    return 0;
}
