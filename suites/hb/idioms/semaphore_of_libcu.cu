// CLEAN. cuda::counting_semaphore between two blocks.
//@ launch: permits<<<2, 1>>>(out: u32[1])
#include <cuda/semaphore>

__device__ cuda::counting_semaphore<cuda::thread_scope_device, 4> permit{0};
__device__ unsigned item;

__global__ void permits(unsigned* out) {
    if (blockIdx.x == 0) {
        item = 20;
        permit.release();
    } else {
        permit.acquire();
        *out = item;
    }
}
