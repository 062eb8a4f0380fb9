// CLEAN. reduction_called_twice.cu, and its advice: "put __syncthreads() between the calls of `block_sum`".
//@ launch: moments<<<1, 128>>>(in: u32[128] = iota, out: u32[256])

__device__ unsigned block_sum(unsigned value) {
    __shared__ unsigned parts[4];
    unsigned sum = __reduce_add_sync(~0u, value);
    if (threadIdx.x % 32 == 0) {
        parts[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    return threadIdx.x % 32 == 0 ? parts[0] + parts[1] + parts[2] + parts[3] : 0;
}

__global__ void moments(unsigned* in, unsigned* out) {
    unsigned value = in[threadIdx.x];
    unsigned first = block_sum(value);
    __syncthreads();
    unsigned second = block_sum(value * value);
    out[threadIdx.x] = first;
    out[128 + threadIdx.x] = second;
}
