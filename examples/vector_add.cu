// CLEAN. Every thread adds two numbers and writes one result of its own: nothing is shared, nothing can race.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

constexpr int COUNT = 1000;
constexpr int THREADS = 128;
constexpr int BLOCKS = (COUNT + THREADS - 1) / THREADS;

__global__ void vector_add(const float* a, const float* b, float* sum, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        sum[i] = a[i] + b[i];
    }
}

static void check(cudaError_t status) {
    if (status != cudaSuccess) {
        std::fprintf(stderr, "CUDA error: %s\n", cudaGetErrorString(status));
        std::exit(1);
    }
}

int main() {
    static float a[COUNT], b[COUNT], sum[COUNT];
    for (int i = 0; i < COUNT; i++) {
        a[i] = i;
        b[i] = 2 * i;
    }

    float *device_a, *device_b, *device_sum;
    check(cudaMalloc(&device_a, sizeof a));
    check(cudaMalloc(&device_b, sizeof b));
    check(cudaMalloc(&device_sum, sizeof sum));
    check(cudaMemcpy(device_a, a, sizeof a, cudaMemcpyHostToDevice));
    check(cudaMemcpy(device_b, b, sizeof b, cudaMemcpyHostToDevice));

    vector_add<<<BLOCKS, THREADS>>>(device_a, device_b, device_sum, COUNT);
    check(cudaGetLastError());

    check(cudaMemcpy(sum, device_sum, sizeof sum, cudaMemcpyDeviceToHost));
    check(cudaFree(device_a));
    check(cudaFree(device_b));
    check(cudaFree(device_sum));
    std::printf("added %d numbers; the last sum is %.0f\n", COUNT, sum[COUNT - 1]);
    return sum[COUNT - 1] == 3.0f * (COUNT - 1) ? 0 : 1;
}
