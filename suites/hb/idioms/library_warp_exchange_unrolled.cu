// RACY. As library_warp_exchange_in_a_loop.cu, but the compiler has unrolled the loop.
//@ launch: exchange<<<1, 64>>>(in: u32[256] = iota, out: u32[256])
#include <cub/warp/warp_exchange.cuh>

__global__ void exchange(unsigned* in, unsigned* out) {
    using Exchange = cub::WarpExchange<unsigned, 4>;
    __shared__ typename Exchange::TempStorage temporary[2];
    unsigned numbers[4];
    for (unsigned i = 0; i < 4; ++i) {
        numbers[i] = in[threadIdx.x * 4 + i];
    }
#pragma unroll
    for (unsigned pass = 0; pass < 3; ++pass) {
        Exchange(temporary[threadIdx.x / 32]).BlockedToStriped(numbers, numbers);
    }
    for (unsigned i = 0; i < 4; ++i) {
        out[threadIdx.x * 4 + i] = numbers[i];
    }
}
//~ line 14: race: warp-sync error (with itself)
