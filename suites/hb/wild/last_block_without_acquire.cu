// RACY. The last block adds up what all have left: a fence before the ticket, none behind it.
//@ launch: reduce<<<12, 64>>>(in: u32[768] = iota, parts: u32[12], ticket: u32[1], total: u32[1])
//@ groups: 1
//@ advice: put __threadfence() after line 18

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
    }
    __syncthreads();
    if (is_last && threadIdx.x < gridDim.x) {
        atomicAdd(total, parts[threadIdx.x]);  //~ race: missing-fence error (with line 16)
    }
}
