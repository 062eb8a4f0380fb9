// CLEAN. A lock of the warps of one block: block scope includes all of them.
//@ launch: add<<<2, 96>>>(lock: u32[2], total: u32[2])

__global__ void add(unsigned* lock, unsigned* total) {
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS_block(lock + blockIdx.x, 0u, 1u) != 0u) {
        }
        __threadfence_block();
        total[blockIdx.x] = total[blockIdx.x] + threadIdx.x + 1;
        __threadfence_block();
        atomicExch_block(lock + blockIdx.x, 0u);
    }
}
