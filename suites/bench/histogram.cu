// How often each byte occurs: counted per block in shared memory, then added to the bins in global memory,
// which are zero at the start. A block has 256 threads.

extern "C" __global__ void histogram(const unsigned char *data, unsigned *bins, unsigned n) {
    __shared__ unsigned mine[256];
    mine[threadIdx.x] = 0;
    __syncthreads();
    unsigned stride = gridDim.x * blockDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        atomicAdd(&mine[data[i]], 1u);
    }
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}
