// RACY. cuda::atomic_ref at block scope, used by two blocks.
//@ launch: count<<<2, 1>>>(counter: u32[1])
#include <cuda/atomic>

__global__ void count(unsigned* counter) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_block> count(*counter);
    count.fetch_add(1, cuda::memory_order_relaxed);  //~ race: scope error (with itself)
}
