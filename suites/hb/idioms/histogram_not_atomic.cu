// RACY. Two warps add to one bin by ordinary reads and writes.
//@ launch: histogram<<<1, 64>>>(bins: u32[1])

__global__ void histogram(unsigned* bins) {
    __shared__ unsigned local;
    if (threadIdx.x == 0) {
        local = 0;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        local = local + threadIdx.x / 32 + 1;  //~ race: missing-sync (with itself)
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        *bins = local;
    }
}
