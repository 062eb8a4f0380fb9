// As memory_copy_2d_own_columns.cu, but the copy is one column too wide and meets the kernel's first column.
// verdict: race
#include "check.h"

constexpr int SIDE = 32;

__global__ void paint(int* image, int from) {
    if (threadIdx.x >= from) {
        image[blockIdx.x * SIDE + threadIdx.x] = 9;
    }
}

int main() {
    int* image;
    int* left;
    constexpr size_t WIDTH = (SIDE / 2 + 1) * sizeof(int);
    constexpr size_t PITCH = SIDE * sizeof(int);
    CHECK(cudaMalloc(&image, SIDE * SIDE * sizeof(int)));
    CHECK(cudaMalloc(&left, WIDTH * SIDE));
    CHECK(cudaMemset(image, 0, SIDE * SIDE * sizeof(int)));
    CHECK(cudaDeviceSynchronize());
    cudaStream_t one, other;
    CHECK(cudaStreamCreate(&one));
    CHECK(cudaStreamCreate(&other));
    paint<<<SIDE, SIDE, 0, one>>>(image, SIDE / 2);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy2DAsync(left, WIDTH, image, PITCH, WIDTH, SIDE, cudaMemcpyDefault, other));  //~ race: inter-kernel error (with line 9)
    CHECK(cudaDeviceSynchronize());
    std::printf("copied %zu columns\n", WIDTH / sizeof(int));
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(other));
    CHECK(cudaFree(left));
    CHECK(cudaFree(image));
    return 0;
}
