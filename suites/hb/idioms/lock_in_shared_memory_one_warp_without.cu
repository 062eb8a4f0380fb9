// RACY. A lock in shared memory, which the second warp does not take.
//@ launch: add<<<1, 64>>>(out: u32[1])

__global__ void add(unsigned* out) {
    __shared__ unsigned lock, total;
    if (threadIdx.x == 0) {
        lock = 0;
        total = 0;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock, 0u, 1u) != 0u) {
        }
        __threadfence_block();
        total = total + 1;
        __threadfence_block();
        atomicExch(&lock, 0u);
    } else if (threadIdx.x == 32) {
        total = total + 2;  //~ race: lock (with line 15)
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        out[0] = total;
    }
}
