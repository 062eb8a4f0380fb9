// RACY. All blocks count into the same bins, and bins[...]++ is three steps: read, add one, write back.
// Two blocks that do this at the same time lose a count. histogram.cu is the corrected program.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

constexpr int BINS = 64;
constexpr int BLOCKS = 4;
constexpr int THREADS = 64;
constexpr int COUNT = 1000;

__global__ void histogram(const int* values, int count, int* bins) {
    int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += threads) {
        bins[values[i]]++;
    }
}

static void check(cudaError_t status) {
    if (status != cudaSuccess) {
        std::fprintf(stderr, "CUDA error: %s\n", cudaGetErrorString(status));
        std::exit(1);
    }
}

int main() {
    // Neighbouring values differ, so the threads of one block never meet in a bin; the blocks do.
    static int values[COUNT];
    for (int i = 0; i < COUNT; i++) {
        values[i] = i % BINS;
    }

    int* device_values;
    int* device_bins;
    check(cudaMalloc(&device_values, sizeof values));
    check(cudaMalloc(&device_bins, BINS * sizeof(int)));
    check(cudaMemcpy(device_values, values, sizeof values, cudaMemcpyHostToDevice));
    check(cudaMemset(device_bins, 0, BINS * sizeof(int)));

    histogram<<<BLOCKS, THREADS>>>(device_values, COUNT, device_bins);
    check(cudaGetLastError());

    int bins[BINS];
    check(cudaMemcpy(bins, device_bins, sizeof bins, cudaMemcpyDeviceToHost));
    check(cudaFree(device_values));
    check(cudaFree(device_bins));

    // The counts depend on how the blocks happened to run, so they are not worth printing.
    std::printf("counted %d values into %d bins\n", COUNT, BINS);
    return 0;
}

//~ line 15: [hb, iguard] race: missing-sync (with line 15)
//~ line 15: [scord] race: missing-fence (with line 15)
//~ line 15: [barracuda] race: missing-sync (with line 15) by barracuda READEXCL
