// A convolution in one dimension whose tile in shared memory is read before everybody has filled it.
// verdict: race
#include "check.h"

constexpr int THREADS = 128;
constexpr int BLOCKS = 4;
constexpr int RADIUS = 32;
constexpr int COUNT = THREADS * BLOCKS;

__global__ void far_neighbours(const float* in, float* out) {
    __shared__ float tile[THREADS];
    int i = blockIdx.x * THREADS + threadIdx.x;
    tile[threadIdx.x] = in[i];
    // The neighbours are in the warps before and after: that of a lane itself is not enough.
    float before = 0.0f, after = 0.0f;
    if (threadIdx.x >= RADIUS) {
        before = tile[threadIdx.x - RADIUS];  //~ race: missing-sync error (with line 13)
    }
    if (threadIdx.x < THREADS - RADIUS) {
        after = tile[threadIdx.x + RADIUS];  //~ race: missing-sync error (with line 13)
    }
    out[i] = 0.25f * before + 0.5f * in[i] + 0.25f * after;
}

int main() {
    static float host[COUNT];
    for (int i = 0; i < COUNT; i++) {
        host[i] = static_cast<float>(i % 16);
    }
    float *in, *out;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    far_neighbours<<<BLOCKS, THREADS>>>(in, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("convolved %d numbers\n", COUNT);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
