// The overlap of streams_chunks.cu with one buffer for all streams: the upload of a chunk meets the kernel of the one before.
// verdict: race
#include "check.h"

constexpr int CHUNK = 512;
constexpr size_t BYTES = CHUNK * sizeof(float);

__global__ void transform(float* target, const float* source) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    target[i] = source[i] * 2.0f;
}

int main() {
    float *host, *buffer, *out;
    CHECK(cudaMallocHost(&host, 2 * BYTES));
    for (int i = 0; i < 2 * CHUNK; i++) {
        host[i] = static_cast<float>(i);
    }
    CHECK(cudaMalloc(&buffer, BYTES));
    CHECK(cudaMalloc(&out, 2 * BYTES));
    cudaStream_t one, other;
    CHECK(cudaStreamCreate(&one));
    CHECK(cudaStreamCreate(&other));

    CHECK(cudaMemcpyAsync(buffer, host, BYTES, cudaMemcpyHostToDevice, one));
    CHECK(cudaDeviceSynchronize());
    transform<<<CHUNK / 128, 128, 0, one>>>(out, buffer);
    CHECK(cudaGetLastError());

    // The next chunk is uploaded over the one that the kernel may still be reading.
    CHECK(cudaMemcpyAsync(buffer, host + CHUNK, BYTES, cudaMemcpyDefault, other));  //~ race: inter-kernel error (with line 10)
    transform<<<CHUNK / 128, 128, 0, other>>>(out + CHUNK, buffer);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::printf("two chunks of %d numbers\n", CHUNK);
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(other));
    CHECK(cudaFree(buffer));
    CHECK(cudaFree(out));
    CHECK(cudaFreeHost(host));
    return 0;
}
