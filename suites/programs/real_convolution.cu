// A 5 x 5 convolution with its weights in constant memory and a tile with a border in shared memory.
// verdict: clean
#include "check.h"
#include <vector>

constexpr int RADIUS = 2;
constexpr int TILE = 16;
constexpr int SIDE = 64;
constexpr int WIDE = TILE + 2 * RADIUS;

__constant__ int weights[5][5];

__global__ void convolve(const int* image, int* out) {
    __shared__ int tile[WIDE][WIDE];
    int left = blockIdx.x * TILE - RADIUS, top = blockIdx.y * TILE - RADIUS;
    for (int i = threadIdx.y * TILE + threadIdx.x; i < WIDE * WIDE; i += TILE * TILE) {
        int x = left + i % WIDE, y = top + i / WIDE;
        bool inside = x >= 0 && x < SIDE && y >= 0 && y < SIDE;
        tile[i / WIDE][i % WIDE] = inside ? image[y * SIDE + x] : 0;
    }
    __syncthreads();
    int sum = 0;
    for (int dy = 0; dy < 5; dy++) {
        for (int dx = 0; dx < 5; dx++) {
            sum += weights[dy][dx] * tile[threadIdx.y + dy][threadIdx.x + dx];
        }
    }
    out[(blockIdx.y * TILE + threadIdx.y) * SIDE + blockIdx.x * TILE + threadIdx.x] = sum;
}

int main() {
    int host_weights[5][5];
    for (int i = 0; i < 25; i++) {
        host_weights[i / 5][i % 5] = (i * 7) % 11 - 5;
    }
    std::vector<int> image(SIDE * SIDE), result(SIDE * SIDE);
    for (int i = 0; i < SIDE * SIDE; i++) {
        image[i] = (i * 31) % 256;
    }
    int *device_image, *out;
    CHECK(cudaMalloc(&device_image, image.size() * sizeof(int)));
    CHECK(cudaMalloc(&out, image.size() * sizeof(int)));
    CHECK(cudaMemcpyToSymbol(weights, host_weights, sizeof host_weights));
    CHECK(cudaMemcpy(device_image, image.data(), image.size() * sizeof(int), cudaMemcpyHostToDevice));
    convolve<<<dim3(SIDE / TILE, SIDE / TILE), dim3(TILE, TILE)>>>(device_image, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(result.data(), out, image.size() * sizeof(int), cudaMemcpyDeviceToHost));
    int wrong = 0;
    long sum = 0;
    for (int y = 0; y < SIDE; y++) {
        for (int x = 0; x < SIDE; x++) {
            int expected = 0;
            for (int i = 0; i < 25; i++) {
                int sx = x + i % 5 - RADIUS, sy = y + i / 5 - RADIUS;
                if (sx >= 0 && sx < SIDE && sy >= 0 && sy < SIDE) {
                    expected += host_weights[i / 5][i % 5] * image[sy * SIDE + sx];
                }
            }
            wrong += result[y * SIDE + x] != expected;
            sum += result[y * SIDE + x];
        }
    }
    std::printf("sum %ld, wrong %d\n", sum, wrong);
    CHECK(cudaFree(device_image));
    CHECK(cudaFree(out));
    return wrong == 0 ? 0 : 1;
}
