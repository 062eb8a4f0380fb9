// cudaMemcpy in every direction, the direction named or found out by the runtime from the addresses.
// verdict: clean
#include "check.h"
#include <numeric>
#include <vector>

constexpr int COUNT = 1000;
constexpr size_t BYTES = COUNT * sizeof(int);

__global__ void add_one(int* data) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < COUNT) {
        data[i] += 1;
    }
}

int main() {
    std::vector<int> source(COUNT), copy(COUNT), result(COUNT);
    std::iota(source.begin(), source.end(), 0);

    int* first;
    int* second;
    CHECK(cudaMalloc(&first, BYTES));
    CHECK(cudaMalloc(&second, BYTES));

    CHECK(cudaMemcpy(copy.data(), source.data(), BYTES, cudaMemcpyHostToHost));
    CHECK(cudaMemcpy(first, copy.data(), BYTES, cudaMemcpyHostToDevice));
    add_one<<<4, 256>>>(first);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(second, first, BYTES, cudaMemcpyDeviceToDevice));
    add_one<<<4, 256>>>(second);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(result.data(), second, BYTES, cudaMemcpyDeviceToHost));
    std::printf("named directions: %d %d\n", result[0], result[COUNT - 1]);

    CHECK(cudaMemcpy(first, result.data(), BYTES, cudaMemcpyDefault));
    add_one<<<4, 256>>>(first);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(second, first, BYTES, cudaMemcpyDefault));
    CHECK(cudaMemcpy(copy.data(), second, BYTES, cudaMemcpyDefault));
    CHECK(cudaMemcpy(result.data(), copy.data(), BYTES, cudaMemcpyDefault));
    std::printf("found out: %d %d\n", result[0], result[COUNT - 1]);

    // A part from the middle, at an address that is not a multiple of much.
    CHECK(cudaMemcpy(result.data(), reinterpret_cast<char*>(first) + 40, 12, cudaMemcpyDeviceToHost));
    std::printf("from the middle: %d %d %d %d\n", result[0], result[1], result[2], result[3]);

    CHECK(cudaMemcpy(second, first, 0, cudaMemcpyDeviceToDevice));
    CHECK(cudaFree(first));
    CHECK(cudaFree(second));
    return 0;
}
