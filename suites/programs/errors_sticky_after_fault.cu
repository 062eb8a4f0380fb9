// A kernel that writes to address 0 spoils everything that comes after: every call answers the same error.
// verdict: clean, stopped
#include "check.h"

__global__ void store(int* target) {
    *target = 1;
}

static void show(const char* what, cudaError_t status) {
    std::printf("%s: %s\n", what, cudaGetErrorName(status));
}

int main() {
    int* data;
    CHECK(cudaMalloc(&data, sizeof(int)));
    store<<<1, 1>>>(data);
    show("a good kernel", cudaDeviceSynchronize());
    store<<<1, 1>>>(nullptr);
    show("a bad kernel", cudaDeviceSynchronize());
    show("wait", cudaDeviceSynchronize());
    show("malloc", cudaMalloc(&data, sizeof(int)));
    show("memset", cudaMemset(data, 0, sizeof(int)));
    store<<<1, 1>>>(data);
    show("a good launch", cudaGetLastError());
    int host = 0;
    show("copy", cudaMemcpy(&host, data, sizeof host, cudaMemcpyDeviceToHost));
    return 0;
}
