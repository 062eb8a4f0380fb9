// A 2D copy in one stream takes the left columns of an image while a kernel in another stream writes the right ones.
// verdict: clean
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
    CHECK(cudaMalloc(&image, SIDE * SIDE * sizeof(int)));
    CHECK(cudaMalloc(&left, SIDE * SIDE / 2 * sizeof(int)));
    CHECK(cudaMemset(image, 0, SIDE * SIDE * sizeof(int)));
    CHECK(cudaDeviceSynchronize());
    cudaStream_t one, other;
    CHECK(cudaStreamCreate(&one));
    CHECK(cudaStreamCreate(&other));
    paint<<<SIDE, SIDE, 0, one>>>(image, SIDE / 2);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy2DAsync(left, SIDE / 2 * 4, image, SIDE * 4, SIDE / 2 * 4, SIDE, cudaMemcpyDeviceToDevice, other));
    CHECK(cudaDeviceSynchronize());
    int host[SIDE * SIDE / 2];
    CHECK(cudaMemcpy(host, left, sizeof host, cudaMemcpyDeviceToHost));
    int sum = 0;
    for (int pixel : host) {
        sum += pixel;
    }
    std::printf("sum of the left half: %d\n", sum);
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(other));
    CHECK(cudaFree(left));
    CHECK(cudaFree(image));
    return 0;
}
