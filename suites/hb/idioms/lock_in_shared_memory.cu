// CLEAN. A lock in shared memory for data in shared memory, and a barrier before the result is read.
//@ launch: add<<<2, 96>>>(out: u32[2])

__global__ void add(unsigned* out) {
    __shared__ unsigned lock, total;
    if (threadIdx.x == 0) {
        lock = 0;
        total = 0;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(&lock, 0u, 1u) != 0u) {
        }
        __threadfence_block();
        total = total + threadIdx.x + 1;
        __threadfence_block();
        atomicExch(&lock, 0u);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        out[blockIdx.x] = total;
    }
}
