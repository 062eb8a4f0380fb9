// Variables of the device by their symbols: constant and global memory, offsets, sizes, addresses, and streams.
// verdict: clean
#include "check.h"

__constant__ int coefficients[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__device__ int results[64];
__device__ float ratio = 0.5f;

__global__ void apply() {
    int i = threadIdx.x;
    results[i] = static_cast<int>(coefficients[i % 8] * i * ratio);
}

static void print_results(const char* what) {
    int host[64];
    CHECK(cudaMemcpyFromSymbol(host, results, sizeof host));
    std::printf("%s: %d %d %d\n", what, host[8], host[15], host[63]);
}

int main() {
    apply<<<1, 64>>>();
    CHECK(cudaGetLastError());
    print_results("as compiled");

    int changed[3] = {10, 20, 30};
    CHECK(cudaMemcpyToSymbol(coefficients, changed, sizeof changed, 5 * sizeof(int)));
    float one = 1.0f;
    CHECK(cudaMemcpyToSymbol(ratio, &one, sizeof one));
    apply<<<1, 64>>>();
    CHECK(cudaGetLastError());
    print_results("changed");

    size_t bytes = 0;
    int* address;
    CHECK(cudaGetSymbolSize(&bytes, results));
    CHECK(cudaGetSymbolAddress(reinterpret_cast<void**>(&address), results));
    CHECK(cudaMemset(address, 0, bytes / 2));
    print_results("half cleared");

    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMemcpyToSymbolAsync(results, changed, sizeof changed, 8 * sizeof(int), cudaMemcpyHostToDevice, stream));
    int three[3] = {0, 0, 0};
    CHECK(cudaMemcpyFromSymbolAsync(three, results, sizeof three, 8 * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    std::printf("in a stream: %d %d %d; %zu bytes\n", three[0], three[1], three[2], bytes);

    cudaError_t too_far = cudaMemcpyFromSymbol(three, results, sizeof three, 62 * sizeof(int));
    std::printf("beyond the end: %s\n", cudaGetErrorName(too_far));
    (void)cudaGetLastError();
    CHECK(cudaStreamDestroy(stream));
    return 0;
}
