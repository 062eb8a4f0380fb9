// RACY. Two threads hand the same rank to CUB: it writes both numbers to one place of the temporary storage, as it was told.
//@ launch: scatter<<<1, 64>>>(in: u32[64] = iota, out: u32[64])
#include <cub/block/block_exchange.cuh>

__global__ void scatter(unsigned* in, unsigned* out) {
    using Exchange = cub::BlockExchange<unsigned, 64, 1>;
    __shared__ typename Exchange::TempStorage temporary;
    unsigned numbers[1] = {in[threadIdx.x]};
    int ranks[1] = {static_cast<int>(threadIdx.x / 2)};
    Exchange(temporary).ScatterToBlocked(numbers, numbers, ranks);
    out[threadIdx.x] = numbers[0];
}
//~ line 10: race: missing-sync error (with itself)
