// CLEAN. One thread draws a chunk for the block and tells the others through shared memory, with a barrier before and after.
//@ launch: work<<<2, 64>>>(next: u32[1], out: u32[256])

__global__ void work(unsigned* next, unsigned* out) {
    __shared__ unsigned chunk;
    while (true) {
        if (threadIdx.x == 0) {
            chunk = atomicAdd(next, 64u);
        }
        __syncthreads();
        unsigned first = chunk;
        __syncthreads();
        if (first >= 256) {
            break;
        }
        out[first + threadIdx.x] = first + threadIdx.x;
    }
}
