// Launches two racy kernels in turn, and then prints what came of both.
#include <cstdio>

__global__ void rotate(int *numbers) {
    __shared__ int tile[64];
    tile[threadIdx.x] = numbers[threadIdx.x] + 1;
    numbers[threadIdx.x] = tile[(threadIdx.x + 32) % 64];
}

template <typename T>
__global__ void collect(T *numbers, T *sum) {
    *sum = *sum + numbers[threadIdx.x];
}

int main() {
    int *numbers, *sum;
    cudaMalloc(&numbers, 64 * sizeof(int));
    cudaMalloc(&sum, sizeof(int));
    cudaMemset(numbers, 0, 64 * sizeof(int));
    cudaMemset(sum, 0, sizeof(int));
    for (int round = 0; round < 3; round++) {
        rotate<<<1, 64>>>(numbers);
        collect<int><<<1, 64>>>(numbers, sum);
    }
    int answer = -1;
    cudaMemcpy(&answer, numbers, sizeof answer, cudaMemcpyDeviceToHost);
    std::printf("%s\n", cudaGetLastError() == cudaSuccess && answer >= 0 ? "ran" : "failed");
    return 0;
}
