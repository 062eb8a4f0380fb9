// CLEAN. last_block_without_acquire.cu, and its advice: "put __threadfence() after line 18".
//@ launch: reduce<<<12, 64>>>(in: u32[768] = iota, parts: u32[12], ticket: u32[1], total: u32[1])

__global__ void reduce(const unsigned* in, unsigned* parts, unsigned* ticket, unsigned* total) {
    __shared__ unsigned sum;
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        sum = 0;
    }
    __syncthreads();
    atomicAdd(&sum, in[blockIdx.x * blockDim.x + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = sum;
        __threadfence();
        is_last = atomicAdd(ticket, 1u) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (is_last && threadIdx.x < gridDim.x) {
        atomicAdd(total, parts[threadIdx.x]);
    }
}
