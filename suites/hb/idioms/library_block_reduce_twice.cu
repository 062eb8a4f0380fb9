// RACY. CUB reduces twice in the same temporary storage, and the barrier between is missing: that is the user's, though both
// accesses are within NVIDIA's headers.
//@ launch: reduce<<<2, 128>>>(in: u32[128] = iota, out: u32[4])
#include <cub/block/block_reduce.cuh>
#include <cuda/functional>

__global__ void reduce(unsigned* in, unsigned* out) {
    using Reduce = cub::BlockReduce<unsigned, 128>;
    __shared__ typename Reduce::TempStorage temporary;
    unsigned sum = Reduce(temporary).Sum(in[threadIdx.x]);
    unsigned most = Reduce(temporary).Reduce(in[threadIdx.x], cuda::maximum<unsigned>{});
    if (threadIdx.x == 0) {
        out[2 * blockIdx.x] = sum;
        out[2 * blockIdx.x + 1] = most;
    }
}
//~ line 11: race: missing-sync error (with line 10)
