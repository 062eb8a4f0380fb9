// The host waits for a flag in mapped memory that a kernel sets with an atomic store of the device's scope, which leaves the host out.
// verdict: race
#include "check.h"
#include <cuda/atomic>

__global__ void finish(int* flag) {
    cuda::atomic_ref<int, cuda::thread_scope_device> done(*flag);
    done.store(1, cuda::memory_order_relaxed);
}

int main() {
    int* flag;
    CHECK(cudaHostAlloc(&flag, sizeof(int), cudaHostAllocMapped));
    *flag = 0;
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    finish<<<1, 1, 0, stream>>>(flag);
    CHECK(cudaGetLastError());
    volatile int* watched = flag;
    while (*watched == 0) {  //~ race: inter-kernel error (with line 8)
    }
    CHECK(cudaStreamSynchronize(stream));
    std::printf("the flag is %d\n", *flag);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeHost(flag));
    return 0;
}
