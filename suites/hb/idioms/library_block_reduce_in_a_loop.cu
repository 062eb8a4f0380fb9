// RACY. CUB reduces in the same temporary storage in each pass of a loop, and the barrier between two passes is missing.
//@ launch: reduce<<<2, 128>>>(in: u32[128] = iota, out: u32[2])
#include <cub/block/block_reduce.cuh>

__global__ void reduce(unsigned* in, unsigned* out) {
    using Reduce = cub::BlockReduce<unsigned, 128>;
    __shared__ typename Reduce::TempStorage temporary;
    unsigned sum = 0;
    for (unsigned pass = 0; pass < 3; ++pass) {
        sum += Reduce(temporary).Sum(in[threadIdx.x] + pass);
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x] = sum;
    }
}
//~ line 10: race: missing-sync error (with itself)
