// Two kernels that write the same array are launched in two streams, and the program returns from main at once.
// verdict: race
// exit: 6
#include "check.h"

__global__ void ones(int* data) {
    data[threadIdx.x] = 1;
}

__global__ void twos(int* data) {
    data[threadIdx.x] = 2;  //~ race: inter-kernel error (with line 7)
}

int main() {
    int* data;
    CHECK(cudaMalloc(&data, 128 * sizeof(int)));
    cudaStream_t first, second;
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreate(&second));
    ones<<<1, 128, 0, first>>>(data);
    CHECK(cudaGetLastError());
    twos<<<1, 128, 0, second>>>(data);
    CHECK(cudaGetLastError());
    std::printf("launched twice\n");
    return 6;
}
