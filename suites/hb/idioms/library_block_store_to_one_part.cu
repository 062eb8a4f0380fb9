// RACY. All blocks hand the same output to CUB: the data is the user's, though the stores are within NVIDIA's headers.
//@ launch: store<<<2, 128>>>(in: u32[256] = iota, out: u32[128])
#include <cub/block/block_store.cuh>

__global__ void store(unsigned* in, unsigned* out) {
    using Store = cub::BlockStore<unsigned, 128, 1>;
    __shared__ typename Store::TempStorage temporary;
    unsigned numbers[1] = {in[blockIdx.x * 128 + threadIdx.x]};
    Store(temporary).Store(out, numbers);
}
//~ line 9: race: missing-sync error (with itself)
