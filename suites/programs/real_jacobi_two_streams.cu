// Jacobi iterations with two buffers; each half of the field has its own stream, and events pass the border rows on.
// verdict: clean
#include "check.h"
#include <vector>

constexpr int SIDE = 64;
constexpr int ROUNDS = 10;

__global__ void relax(const float* old_field, float* new_field, int first_row) {
    int y = first_row + blockIdx.x, x = threadIdx.x;
    if (x == 0 || x == SIDE - 1 || y == 0 || y == SIDE - 1) {
        return;
    }
    int i = y * SIDE + x;
    new_field[i] = 0.25f * (old_field[i - 1] + old_field[i + 1] + old_field[i - SIDE] + old_field[i + SIDE]);
}

int main() {
    std::vector<float> field(SIDE * SIDE, 0.0f), expected, next;
    for (int i = 0; i < SIDE; i++) {
        field[i] = 64.0f;
        field[(SIDE - 1) * SIDE + i] = static_cast<float>(i);
    }
    float* buffers[2];
    for (float*& buffer : buffers) {
        CHECK(cudaMalloc(&buffer, field.size() * sizeof(float)));
        CHECK(cudaMemcpy(buffer, field.data(), field.size() * sizeof(float), cudaMemcpyHostToDevice));
    }
    CHECK(cudaDeviceSynchronize());
    cudaStream_t streams[2];
    cudaEvent_t done[2];
    for (int half = 0; half < 2; half++) {
        CHECK(cudaStreamCreateWithFlags(&streams[half], cudaStreamNonBlocking));
        CHECK(cudaEventCreateWithFlags(&done[half], cudaEventDisableTiming));
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int half = 0; half < 2; half++) {
            relax<<<SIDE / 2, SIDE, 0, streams[half]>>>(buffers[round % 2], buffers[1 - round % 2], half * SIDE / 2);
            CHECK(cudaGetLastError());
            CHECK(cudaEventRecord(done[half], streams[half]));
        }
        CHECK(cudaStreamWaitEvent(streams[0], done[1], 0));
        CHECK(cudaStreamWaitEvent(streams[1], done[0], 0));
    }
    CHECK(cudaDeviceSynchronize());
    expected = next = field;
    for (int round = 0; round < ROUNDS; round++) {
        for (int y = 1; y < SIDE - 1; y++) {
            for (int x = 1; x < SIDE - 1; x++) {
                int i = y * SIDE + x;
                next[i] = 0.25f * (expected[i - 1] + expected[i + 1] + expected[i - SIDE] + expected[i + SIDE]);
            }
        }
        std::swap(expected, next);
    }
    CHECK(cudaMemcpy(field.data(), buffers[ROUNDS % 2], field.size() * sizeof(float), cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < SIDE * SIDE; i++) {
        float difference = field[i] - expected[i];
        wrong += difference > 0.001f || difference < -0.001f;
    }
    std::printf("%d rounds, %d wrong\n", ROUNDS, wrong);
    for (int half = 0; half < 2; half++) {
        CHECK(cudaEventDestroy(done[half]));
        CHECK(cudaStreamDestroy(streams[half]));
        CHECK(cudaFree(buffers[half]));
    }
    return wrong == 0 ? 0 : 1;
}
