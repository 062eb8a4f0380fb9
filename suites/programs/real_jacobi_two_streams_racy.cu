// The iterations of real_jacobi_two_streams.cu without the events: the halves run ahead of each other at their border.
// verdict: race
#include "check.h"
#include <vector>

constexpr int SIDE = 64;
constexpr int ROUNDS = 4;

__global__ void relax(const float* old_field, float* new_field, int first_row) {
    int y = first_row + blockIdx.x, x = threadIdx.x;
    if (x == 0 || x == SIDE - 1 || y == 0 || y == SIDE - 1) {
        return;
    }
    int i = y * SIDE + x;
    float sum = old_field[i - 1] + old_field[i + 1] + old_field[i - SIDE] + old_field[i + SIDE];
    new_field[i] = 0.25f * sum;  //~ race: inter-kernel error (with line 15)
}

int main() {
    std::vector<float> field(SIDE * SIDE, 1.0f);
    float* buffers[2];
    for (float*& buffer : buffers) {
        CHECK(cudaMalloc(&buffer, field.size() * sizeof(float)));
        CHECK(cudaMemcpy(buffer, field.data(), field.size() * sizeof(float), cudaMemcpyHostToDevice));
    }
    CHECK(cudaDeviceSynchronize());
    cudaStream_t streams[2];
    for (cudaStream_t& stream : streams) {
        CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int half = 0; half < 2; half++) {
            relax<<<SIDE / 2, SIDE, 0, streams[half]>>>(buffers[round % 2], buffers[1 - round % 2], half * SIDE / 2);
            CHECK(cudaGetLastError());
        }
    }
    CHECK(cudaDeviceSynchronize());
    std::printf("%d rounds\n", ROUNDS);
    for (int half = 0; half < 2; half++) {
        CHECK(cudaStreamDestroy(streams[half]));
        CHECK(cudaFree(buffers[half]));
    }
    return 0;
}
