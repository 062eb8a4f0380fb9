// Programmatic dependent launch whose second kernel reads what the first one wrote before it waits for it.
// verdict: race
#include "check.h"

constexpr int BLOCKS = 2;
constexpr int THREADS = 128;
constexpr int COUNT = BLOCKS * THREADS;

__global__ void produce(int* data) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cudaTriggerProgrammaticLaunchCompletion();
    data[i] = i * 2;
}

__global__ void consume(const int* data, int* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = data[COUNT - 1 - i];  //~ race: inter-kernel error (with line 12)
    cudaGridDependencySynchronize();
}

int main() {
    int *data, *out;
    CHECK(cudaMalloc(&data, COUNT * sizeof(int)));
    CHECK(cudaMalloc(&out, COUNT * sizeof(int)));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(BLOCKS);
    config.blockDim = dim3(THREADS);
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    produce<<<BLOCKS, THREADS, 0, stream>>>(data);
    CHECK(cudaGetLastError());
    CHECK(cudaLaunchKernelEx(&config, consume, static_cast<const int*>(data), out));
    CHECK(cudaStreamSynchronize(stream));
    std::printf("consumed %d numbers\n", COUNT);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(data));
    CHECK(cudaFree(out));
    return 0;
}
