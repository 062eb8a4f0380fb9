// CLEAN. The counter of the block is counted by atomics and read plainly after a barrier.
//@ launch: count<<<2, 64>>>(out: u32[128])

__global__ void count(unsigned* out) {
    __shared__ unsigned counter;
    if (threadIdx.x == 0) {
        counter = 0;
    }
    __syncthreads();
    atomicAdd(&counter, threadIdx.x);
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = counter;
}
