// Two units linked on the device (-rdc): a function, a variable and a kernel of the other unit.
// verdict: clean
// flags: -rdc=true
// sources: parts/build_two_units_part.cu
#include "check.h"

extern __device__ int weights[4];
extern __constant__ int shift_amount;
__device__ int weigh(int value, int which);
__global__ void double_all(int* data);

__global__ void weigh_all(int* data) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = weigh(i, i % 4) + weights[(i + 1) % 4] + shift_amount;
}

int main() {
    int* data;
    CHECK(cudaMalloc(&data, 128 * sizeof(int)));
    weigh_all<<<2, 64>>>(data);
    CHECK(cudaGetLastError());
    double_all<<<2, 64>>>(data);
    CHECK(cudaGetLastError());
    int host[128];
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("%d %d\n", host[1], host[127]);

    int weight = 1000;
    CHECK(cudaMemcpyToSymbol(weights, &weight, sizeof weight, 3 * sizeof(int)));
    weigh_all<<<2, 64>>>(data);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("%d %d\n", host[1], host[127]);
    CHECK(cudaFree(data));
    return 0;
}
