// The classic overlap: chunks are uploaded, worked on and downloaded in several streams, each with its own buffers.
// verdict: clean
#include "check.h"

constexpr int STREAMS = 3;
constexpr int CHUNKS = 8;
constexpr int CHUNK = 512;
constexpr size_t BYTES = CHUNK * sizeof(float);

__global__ void transform(float* target, const float* source) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    target[i] = source[i] * 2.0f + 1.0f;
}

int main() {
    float *host_in, *host_out;
    CHECK(cudaHostAlloc(&host_in, CHUNKS * BYTES, cudaHostAllocDefault));
    CHECK(cudaHostAlloc(&host_out, CHUNKS * BYTES, cudaHostAllocDefault));
    for (int i = 0; i < CHUNKS * CHUNK; i++) {
        host_in[i] = static_cast<float>(i);
    }
    cudaStream_t streams[STREAMS];
    float *in[STREAMS], *out[STREAMS];
    for (int s = 0; s < STREAMS; s++) {
        CHECK(cudaStreamCreateWithFlags(&streams[s], cudaStreamNonBlocking));
        CHECK(cudaMalloc(&in[s], BYTES));
        CHECK(cudaMalloc(&out[s], BYTES));
    }
    for (int chunk = 0; chunk < CHUNKS; chunk++) {
        int s = chunk % STREAMS;
        CHECK(cudaMemcpyAsync(in[s], host_in + chunk * CHUNK, BYTES, cudaMemcpyHostToDevice, streams[s]));
        transform<<<CHUNK / 128, 128, 0, streams[s]>>>(out[s], in[s]);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(host_out + chunk * CHUNK, out[s], BYTES, cudaMemcpyDeviceToHost, streams[s]));
    }
    CHECK(cudaDeviceSynchronize());
    int wrong = 0;
    for (int i = 0; i < CHUNKS * CHUNK; i++) {
        wrong += host_out[i] != i * 2.0f + 1.0f;
    }
    std::printf("%d chunks, %d wrong\n", CHUNKS, wrong);
    for (int s = 0; s < STREAMS; s++) {
        CHECK(cudaFree(in[s]));
        CHECK(cudaFree(out[s]));
        CHECK(cudaStreamDestroy(streams[s]));
    }
    CHECK(cudaFreeHost(host_in));
    CHECK(cudaFreeHost(host_out));
    return wrong == 0 ? 0 : 1;
}
