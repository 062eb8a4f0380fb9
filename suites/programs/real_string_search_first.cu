// The first place of a pattern: every block that finds one lowers the result, without an atomic minimum.
// verdict: race
#include "check.h"
#include <string>

constexpr int THREADS = 128;
constexpr int BLOCKS = 6;

__global__ void search(const char* text, int* first) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (text[i] == '!') {
        *first = min(*first, i);  //~ race: missing-sync error (with itself)
    }
}

int main() {
    // One mark in each block's part of the text.
    std::string text(THREADS * BLOCKS, '.');
    for (int block = 0; block < BLOCKS; block++) {
        text[block * THREADS + 10 + block] = '!';
    }
    char* device_text;
    int* first;
    CHECK(cudaMalloc(&device_text, text.size()));
    CHECK(cudaMalloc(&first, sizeof(int)));
    CHECK(cudaMemcpy(device_text, text.data(), text.size(), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(first, 0x7f, sizeof(int)));
    search<<<BLOCKS, THREADS>>>(device_text, first);
    CHECK(cudaGetLastError());
    int host = 0;
    CHECK(cudaMemcpy(&host, first, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("some mark was found: %s\n", host % THREADS == 10 + host / THREADS ? "yes" : "no");
    CHECK(cudaFree(device_text));
    CHECK(cudaFree(first));
    return 0;
}
