// Neighbouring arrays, each used inside of its own memory: by pointers to their starts, into their middles, in front of them
// and behind their ends, and by the difference of two pointers.
// verdict: clean
#include "check.h"

constexpr int OWN = 64;

__global__ void number(int* data, int count) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < count) data[at] = at;
}

// Elements are numbered from 1.
__global__ void number_from_one(int* data, int count) {
    int at = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (at <= count) data[at] += at;
}

// The pointer is to the end.
__global__ void number_backwards(int* end, int count) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < count) end[-1 - at] += at;
}

// The second array by its distance from the first one.
__global__ void add(const int* first, int* second, long long distance, int count) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < count) second[at] += first[at + distance] + first[at + (second - first)];
}

__global__ void choose(int* first, int* second, int count) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    int* chosen = at % 2 ? first : second;
    if (at < count) chosen[at] += 1;
}

int main() {
    int *first, *second;
    CHECK(cudaMalloc(&first, OWN * sizeof(int)));
    CHECK(cudaMalloc(&second, OWN * sizeof(int)));
    CHECK(cudaMemset(second, 0, OWN * sizeof(int)));
    number<<<1, 2 * OWN>>>(first, OWN);
    number<<<1, OWN>>>(first + OWN / 2, OWN / 2);
    number_from_one<<<1, OWN>>>(second - 1, OWN);
    number_backwards<<<1, OWN>>>(first + OWN, OWN);
    add<<<1, OWN>>>(first, second, second - first, OWN);
    choose<<<1, OWN>>>(first, second, OWN);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    int found[OWN], sum = 0;
    for (int* array : {first, second}) {
        CHECK(cudaMemcpy(found, array, sizeof(found), cudaMemcpyDeviceToHost));
        for (int value : found) sum += value;
        CHECK(cudaFree(array));
    }
    std::printf("sum: %d\n", sum);
    return 0;
}
