// A reset takes all memory back, gives variables their first values, and lets the program begin anew. Two launches with a
// reset between them have nothing to race about, though nobody waited for the first.
#include <cstdio>

__device__ int counter = 5;
__device__ int* inside = &counter;
__constant__ int step = 2;

__global__ void count() { *inside += step; }

static bool all_right = true;

static void expect(const char* what, long long found, long long wanted) {
    if (found != wanted) {
        all_right = false;
        std::printf("%s: %lld, not %lld\n", what, found, wanted);
    }
}

int main() {
    size_t at_first = 0, total = 0;
    cudaFree(nullptr);
    count<<<1, 1>>>();
    expect("a launch", cudaDeviceSynchronize(), cudaSuccess);
    cudaMemGetInfo(&at_first, &total);
    static int registered[4096];
    for (int round = 0; round < 3; round++) {
        expect("a reset", cudaDeviceReset(), cudaSuccess);
        size_t now = 0;
        cudaMemGetInfo(&now, &total);
        expect("free bytes", static_cast<long long>(now), static_cast<long long>(at_first));
        int *memory, *pinned, *in_order, found = 0, twenty = 20;
        expect("cudaMalloc", cudaMalloc(&memory, 1 << 20), cudaSuccess);
        expect("cudaMallocHost", cudaMallocHost(&pinned, 1 << 20), cudaSuccess);
        expect("cudaMallocAsync", cudaMallocAsync(&in_order, 1 << 20, 0), cudaSuccess);
        expect("cudaHostRegister", cudaHostRegister(registered, sizeof registered, 0), cudaSuccess);
        expect("step", cudaMemcpyToSymbol(step, &twenty, sizeof twenty), cudaSuccess);
        count<<<1, 1>>>();
        expect("cudaMemcpyFromSymbol", cudaMemcpyFromSymbol(&found, counter, sizeof found), cudaSuccess);
        expect("counter", found, 25);
        cudaStream_t stream;
        expect("cudaStreamCreate", cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
        count<<<1, 1, 0, stream>>>();
        expect("a reset in between", cudaDeviceReset(), cudaSuccess);
        expect("cudaFree", cudaFree(memory), cudaErrorInvalidValue);
        cudaGetLastError();
        count<<<1, 1>>>();
        expect("cudaMemcpyFromSymbol", cudaMemcpyFromSymbol(&found, counter, sizeof found), cudaSuccess);
        expect("counter", found, 7);
    }
    std::printf(all_right ? "as at first\n" : "");
    return all_right ? 0 : 4;
}
