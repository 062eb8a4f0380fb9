// CLEAN. cuda::atomic_ref with memory_order_release and memory_order_acquire.
//@ launch: hand_over<<<2, 1>>>(flag: u32[1], data: u32[1], out: u32[1])
#include <cuda/atomic>

__global__ void hand_over(unsigned* flag, unsigned* data, unsigned* out) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> ready(*flag);
    if (blockIdx.x == 0) {
        *data = 42;
        ready.store(1, cuda::memory_order_release);
    } else {
        while (ready.load(cuda::memory_order_acquire) == 0) {
        }
        *out = *data;
    }
}
