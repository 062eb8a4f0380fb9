// CLEAN. Every cell becomes the mean of itself and its two neighbours. Each launch reads one buffer and
// writes the other, and the second launch starts when the first is over, so no cell is written while
// another thread reads it. stencil_in_place.cu is the same program with a single buffer.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

constexpr int BLOCKS = 4;
constexpr int THREADS = 128;
constexpr int CELLS = BLOCKS * THREADS + 2;  // one more at each end, which never changes

__global__ void smooth(const float* from, float* to) {
    __shared__ float tile[THREADS + 2];
    int place = threadIdx.x + 1;
    int cell = blockIdx.x * THREADS + place;
    tile[place] = from[cell];
    if (place == 1) {
        tile[0] = from[cell - 1];
    }
    if (place == THREADS) {
        tile[THREADS + 1] = from[cell + 1];
    }
    __syncthreads();
    float sum = tile[place - 1] + tile[place] + tile[place + 1];
    to[cell] = sum / 3.0f;
}

static void check(cudaError_t status) {
    if (status != cudaSuccess) {
        std::fprintf(stderr, "CUDA error: %s\n", cudaGetErrorString(status));
        std::exit(1);
    }
}

int main() {
    static float cells[CELLS];
    for (int i = 0; i < CELLS; i++) {
        cells[i] = i % 3 == 0 ? 3.0f : 0.0f;
    }

    // Both buffers start with all cells, so that both have the fixed ones at the ends.
    float* device_cells;
    float* device_smooth;
    check(cudaMalloc(&device_cells, sizeof cells));
    check(cudaMalloc(&device_smooth, sizeof cells));
    check(cudaMemcpy(device_cells, cells, sizeof cells, cudaMemcpyHostToDevice));
    check(cudaMemcpy(device_smooth, cells, sizeof cells, cudaMemcpyHostToDevice));

    smooth<<<BLOCKS, THREADS>>>(device_cells, device_smooth);
    check(cudaGetLastError());
    smooth<<<BLOCKS, THREADS>>>(device_smooth, device_cells);
    check(cudaGetLastError());

    check(cudaMemcpy(cells, device_cells, sizeof cells, cudaMemcpyDeviceToHost));
    check(cudaFree(device_cells));
    check(cudaFree(device_smooth));
    std::printf("smoothed %d cells twice; cell %d is %.2f\n", CELLS - 2, THREADS / 2, cells[THREADS / 2]);
    return cells[THREADS / 2] == 1.0f ? 0 : 1;
}
