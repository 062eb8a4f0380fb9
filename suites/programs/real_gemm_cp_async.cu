// A matrix product with tiles that are copied asynchronously to shared memory, one step ahead.
// verdict: clean
#include "check.h"
#include <cuda_pipeline.h>
#include <vector>

constexpr int SIDE = 64;
constexpr int TILE = 16;
constexpr int STEPS = SIDE / TILE;

struct Tiles {
    float a[TILE][TILE];
    float b[TILE][TILE];
};

__device__ void begin_loading(Tiles* tiles, const float* a, const float* b, int step) {
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    __pipeline_memcpy_async(&tiles->a[threadIdx.y][threadIdx.x], &a[row * SIDE + step * TILE + threadIdx.x], sizeof(float));
    __pipeline_memcpy_async(&tiles->b[threadIdx.y][threadIdx.x], &b[(step * TILE + threadIdx.y) * SIDE + column], sizeof(float));
}

__global__ void multiply(const float* a, const float* b, float* c) {
    __shared__ Tiles tiles[2];
    float sum = 0.0f;
    begin_loading(&tiles[0], a, b, 0);
    __pipeline_commit();
    for (int step = 0; step < STEPS; step++) {
        if (step + 1 < STEPS) {
            begin_loading(&tiles[(step + 1) % 2], a, b, step + 1);
        }
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        for (int k = 0; k < TILE; k++) {
            sum += tiles[step % 2].a[threadIdx.y][k] * tiles[step % 2].b[k][threadIdx.x];
        }
        __syncthreads();
    }
    c[(blockIdx.y * TILE + threadIdx.y) * SIDE + blockIdx.x * TILE + threadIdx.x] = sum;
}

int main() {
    std::vector<float> a(SIDE * SIDE), b(SIDE * SIDE), c(SIDE * SIDE);
    for (int i = 0; i < SIDE * SIDE; i++) {
        a[i] = static_cast<float>(i % 7 - 3);
        b[i] = static_cast<float>(i % 5 - 2);
    }
    float *device_a, *device_b, *device_c;
    size_t bytes = a.size() * sizeof(float);
    CHECK(cudaMalloc(&device_a, bytes));
    CHECK(cudaMalloc(&device_b, bytes));
    CHECK(cudaMalloc(&device_c, bytes));
    CHECK(cudaMemcpy(device_a, a.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(device_b, b.data(), bytes, cudaMemcpyHostToDevice));
    multiply<<<dim3(STEPS, STEPS), dim3(TILE, TILE)>>>(device_a, device_b, device_c);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(c.data(), device_c, bytes, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int y = 0; y < SIDE; y++) {
        for (int x = 0; x < SIDE; x++) {
            float expected = 0.0f;
            for (int k = 0; k < SIDE; k++) {
                expected += a[y * SIDE + k] * b[k * SIDE + x];
            }
            wrong += c[y * SIDE + x] != expected;
        }
    }
    std::printf("corner %.0f, wrong %d\n", c[0], wrong);
    CHECK(cudaFree(device_a));
    CHECK(cudaFree(device_b));
    CHECK(cudaFree(device_c));
    return wrong == 0 ? 0 : 1;
}
