// The host asks an event until it has happened; what comes before the event is then safe to use, from anywhere.
// verdict: clean
#include "check.h"

constexpr int COUNT = 256;

__global__ void fill(int* data, int factor) {
    data[threadIdx.x] = threadIdx.x * factor;
}

int main() {
    int* mapped;
    CHECK(cudaHostAlloc(&mapped, 2 * COUNT * sizeof(int), cudaHostAllocMapped));
    cudaStream_t stream;
    cudaEvent_t half;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&half, cudaEventDisableTiming));
    fill<<<1, COUNT, 0, stream>>>(mapped, 3);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(half, stream));
    // The second kernel may still run when the host reads the first one's half.
    fill<<<1, COUNT, 0, stream>>>(mapped + COUNT, 5);
    CHECK(cudaGetLastError());
    cudaError_t status;
    while ((status = cudaEventQuery(half)) == cudaErrorNotReady) {
    }
    CHECK(status);
    std::printf("first half: %d\n", mapped[COUNT - 1]);
    CHECK(cudaStreamSynchronize(stream));
    std::printf("second half: %d\n", mapped[2 * COUNT - 1]);
    CHECK(cudaEventDestroy(half));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeHost(mapped));
    return 0;
}
