// CLEAN. cuda::atomic_ref with its default order.
//@ launch: hand_over<<<2, 1>>>(data: u32[1], flag: u32[1], out: u32[1])
#include <cuda/atomic>

__global__ void hand_over(unsigned* data, unsigned* flag, unsigned* out) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> ready(*flag);
    if (blockIdx.x == 0) {
        *data = 1;
        ready = 1;
    } else {
        while (ready == 0) {
        }
        *out = *data;
    }
}
