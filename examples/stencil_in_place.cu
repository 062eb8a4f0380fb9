// RACY. Every cell becomes the mean of itself and its two neighbours, in place. __syncthreads() orders the
// threads of one block only: at the edge of a block, the neighbour block may already have overwritten the
// cell that is read, or overwrite it meanwhile. stencil.cu is the corrected program.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

constexpr int BLOCKS = 4;
constexpr int THREADS = 128;
constexpr int CELLS = BLOCKS * THREADS + 2;  // one more at each end, which never changes

__global__ void smooth(float* cells) {
    __shared__ float tile[THREADS + 2];
    int place = threadIdx.x + 1;
    int cell = blockIdx.x * THREADS + place;
    tile[place] = cells[cell];
    if (place == 1) {
        tile[0] = cells[cell - 1];
    }
    if (place == THREADS) {
        tile[THREADS + 1] = cells[cell + 1];
    }
    __syncthreads();
    float sum = tile[place - 1] + tile[place] + tile[place + 1];
    cells[cell] = sum / 3.0f;
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

    float* device_cells;
    check(cudaMalloc(&device_cells, sizeof cells));
    check(cudaMemcpy(device_cells, cells, sizeof cells, cudaMemcpyHostToDevice));

    smooth<<<BLOCKS, THREADS>>>(device_cells);
    check(cudaGetLastError());

    check(cudaMemcpy(cells, device_cells, sizeof cells, cudaMemcpyDeviceToHost));
    check(cudaFree(device_cells));

    // The cells at the edges of the blocks depend on how these happened to run: print one from a middle.
    std::printf("smoothed %d cells; cell %d is %.2f\n", CELLS - 2, THREADS / 2, cells[THREADS / 2]);
    return 0;
}

//~ line 18: [hb] race: missing-sync (with line 25)
//~ line 18: [scord] race: missing-sync (with line 25) in some schedules
//~ line 18: [scord] race: missing-fence (with line 25) in some schedules
//~ line 18: [barracuda] race: missing-sync (with line 25) by barracuda BAR
//~ line 21: [hb, iguard] race: missing-sync (with line 25)
//~ line 21: [scord] race: missing-sync (with line 25) in some schedules
//~ line 21: [scord] race: missing-fence (with line 25) in some schedules
//~ line 21: [barracuda] race: missing-sync (with line 25) by barracuda BAR
