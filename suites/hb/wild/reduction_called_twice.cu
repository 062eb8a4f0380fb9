// RACY. A helper adds up a block in shared memory. Called again at once, it overwrites what slow threads of the first call still read.
//@ launch: moments<<<1, 128>>>(in: u32[128] = iota, out: u32[256])
//@ groups: 1
//@ advice: put __syncthreads() between the calls of `block_sum`

__device__ unsigned block_sum(unsigned value) {
    __shared__ unsigned parts[4];
    unsigned sum = __reduce_add_sync(~0u, value);
    if (threadIdx.x % 32 == 0) {
        parts[threadIdx.x / 32] = sum;  //~ race: missing-sync error (with line 13)
    }
    __syncthreads();
    return threadIdx.x % 32 == 0 ? parts[0] + parts[1] + parts[2] + parts[3] : 0;
}

__global__ void moments(unsigned* in, unsigned* out) {
    unsigned value = in[threadIdx.x];
    unsigned first = block_sum(value);
    unsigned second = block_sum(value * value);
    out[threadIdx.x] = first;
    out[128 + threadIdx.x] = second;
}
