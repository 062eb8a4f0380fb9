// CLEAN. CUB reduces twice in the same temporary storage, with a barrier between.
//@ launch: reduce<<<2, 128>>>(in: u32[128] = iota, out: u32[4])
#include <cub/block/block_reduce.cuh>
#include <cuda/functional>

__global__ void reduce(unsigned* in, unsigned* out) {
    using Reduce = cub::BlockReduce<unsigned, 128>;
    __shared__ typename Reduce::TempStorage temporary;
    unsigned sum = Reduce(temporary).Sum(in[threadIdx.x]);
    __syncthreads();
    unsigned most = Reduce(temporary).Reduce(in[threadIdx.x], cuda::maximum<unsigned>{});
    if (threadIdx.x == 0) {
        out[2 * blockIdx.x] = sum;
        out[2 * blockIdx.x + 1] = most;
    }
}
