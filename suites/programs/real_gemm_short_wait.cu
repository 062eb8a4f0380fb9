// The product of real_gemm_cp_async.cu with three buffers and a wait that lets one copy too many be on its way.
// verdict: race
#include "check.h"
#include <cuda_pipeline.h>

constexpr int SIDE = 64;
constexpr int TILE = 16;
constexpr int STEPS = SIDE / TILE;

struct Tiles {
    float a[TILE][TILE];
    float b[TILE][TILE];
};

__device__ void begin_loading(Tiles* tiles, const float* a, const float* b, int step) {
    const float* from_a = a + (blockIdx.y * TILE + threadIdx.y) * SIDE + step * TILE + threadIdx.x;
    const float* from_b = b + (step * TILE + threadIdx.y) * SIDE + blockIdx.x * TILE + threadIdx.x;
    __pipeline_memcpy_async(&tiles->a[threadIdx.y][threadIdx.x], from_a, sizeof(float));
    __pipeline_memcpy_async(&tiles->b[threadIdx.y][threadIdx.x], from_b, sizeof(float));
}

__global__ void multiply(const float* a, const float* b, float* c) {
    __shared__ Tiles tiles[3];
    float sum = 0.0f;
    begin_loading(&tiles[0], a, b, 0);
    __pipeline_commit();
#pragma unroll 1  // unrolled, the line information of later steps names line 19 for both copies
    for (int step = 0; step < STEPS; step++) {
        if (step + 1 < STEPS) {
            begin_loading(&tiles[(step + 1) % 3], a, b, step + 1);
        }
        __pipeline_commit();
        __pipeline_wait_prior(2);  // one would be right
        __syncthreads();
        for (int k = 0; k < TILE; k++) {
            float left = tiles[step % 3].a[threadIdx.y][k];  //~ race: async error (with line 18)
            float right = tiles[step % 3].b[k][threadIdx.x];  //~ race: async error (with line 19)
            sum += left * right;
        }
        __syncthreads();
    }
    c[(blockIdx.y * TILE + threadIdx.y) * SIDE + blockIdx.x * TILE + threadIdx.x] = sum;
}

int main() {
    float* matrices[3];
    for (float*& matrix : matrices) {
        CHECK(cudaMalloc(&matrix, SIDE * SIDE * sizeof(float)));
        CHECK(cudaMemset(matrix, 0, SIDE * SIDE * sizeof(float)));
    }
    multiply<<<dim3(STEPS, STEPS), dim3(TILE, TILE)>>>(matrices[0], matrices[1], matrices[2]);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::printf("multiplied\n");
    for (float* matrix : matrices) {
        CHECK(cudaFree(matrix));
    }
    return 0;
}
