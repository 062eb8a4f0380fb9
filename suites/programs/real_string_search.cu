// All places of a pattern in a text, with the pattern in constant memory and the places in the order they are found.
// verdict: clean
#include "check.h"
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

__constant__ char pattern[16];

__global__ void search(const char* text, int length, int pattern_length, int* places, int* count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + pattern_length > length) {
        return;
    }
    for (int k = 0; k < pattern_length; k++) {
        if (text[i + k] != pattern[k]) {
            return;
        }
    }
    places[atomicAdd(count, 1)] = i;
}

int main() {
    std::string text;
    for (int i = 0; i < 300; i++) {
        text += i % 7 == 0 ? "needle" : "hay";
        text += static_cast<char>('a' + i % 26);
    }
    const char* wanted = "needle";
    int length = static_cast<int>(text.size()), pattern_length = static_cast<int>(std::strlen(wanted));
    char* device_text;
    int *places, *count;
    CHECK(cudaMalloc(&device_text, length));
    CHECK(cudaMalloc(&places, length * sizeof(int)));
    CHECK(cudaMalloc(&count, sizeof(int)));
    CHECK(cudaMemcpy(device_text, text.data(), length, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyToSymbol(pattern, wanted, pattern_length));
    CHECK(cudaMemset(count, 0, sizeof(int)));
    search<<<(length + 127) / 128, 128>>>(device_text, length, pattern_length, places, count);
    CHECK(cudaGetLastError());
    int found = 0;
    CHECK(cudaMemcpy(&found, count, sizeof found, cudaMemcpyDeviceToHost));
    std::vector<int> host(found);
    CHECK(cudaMemcpy(host.data(), places, found * sizeof(int), cudaMemcpyDeviceToHost));
    std::sort(host.begin(), host.end());
    std::printf("found %d, first at %d, last at %d\n", found, host.front(), host.back());
    CHECK(cudaFree(device_text));
    CHECK(cudaFree(places));
    CHECK(cudaFree(count));
    return 0;
}
