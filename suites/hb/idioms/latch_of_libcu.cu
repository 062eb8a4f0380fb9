// CLEAN. cuda::latch: three blocks count down, one waits.
//@ launch: start<<<4, 1>>>(parts: u32[3], out: u32[1])
#include <cuda/latch>

__device__ cuda::latch<cuda::thread_scope_device> done{3};

__global__ void start(unsigned* parts, unsigned* out) {
    if (blockIdx.x < 3) {
        parts[blockIdx.x] = blockIdx.x + 1;
        done.count_down();
    } else {
        done.wait();
        *out = parts[0] + parts[1] + parts[2];
    }
}
