// Calls with arguments that cannot be right, and the errors they answer; none of them harms what comes after.
// verdict: clean
#include "check.h"

__global__ void count(int* counter) {
    atomicAdd(counter, 1);
}

static void show(const char* what, cudaError_t status) {
    std::printf("%s: %s\n", what, cudaGetErrorName(status));
}

int main() {
    int* counter;
    CHECK(cudaMalloc(&counter, sizeof(int)));
    CHECK(cudaMemset(counter, 0, sizeof(int)));
    int host = 0;
    show("copy in no direction", cudaMemcpy(&host, counter, sizeof host, static_cast<cudaMemcpyKind>(17)));
    show("copy from nowhere", cudaMemcpy(&host, nullptr, sizeof host, cudaMemcpyDeviceToHost));
    show("2D copy wider than its pitch", cudaMemcpy2D(&host, 2, counter, 4, 4, 1, cudaMemcpyDeviceToHost));
    show("memset of nothing", cudaMemset(nullptr, 0, 4));
    show("malloc without a place for the address", cudaMalloc(static_cast<void**>(nullptr), 4));
    show("too much memory", cudaMalloc(reinterpret_cast<void**>(&counter), static_cast<size_t>(1) << 50));
    show("free of nothing", cudaFree(nullptr));
    int on_the_stack = 0;
    show("free of the stack", cudaFree(&on_the_stack));
    show("free of host memory that is not ours", cudaFreeHost(&on_the_stack));
    show("a flag of a stream that does not exist", cudaStreamCreateWithFlags(reinterpret_cast<cudaStream_t*>(&counter), 0x40));
    show("last error", cudaGetLastError());
    show("last error again", cudaGetLastError());

    CHECK(cudaMalloc(&counter, sizeof(int)));
    CHECK(cudaMemset(counter, 0, sizeof(int)));
    count<<<2, 32>>>(counter);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&host, counter, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("counted %d\n", host);
    CHECK(cudaFree(counter));
    return 0;
}
