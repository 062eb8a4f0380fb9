// CLEAN. One addition for all lanes that want a place; the base comes back by a shuffle.
//@ launch: compact<<<2, 64>>>(in: u32[128] = iota, count: u32[1], out: u32[128])

__global__ void compact(unsigned* in, unsigned* count, unsigned* out) {
    unsigned value = in[blockIdx.x * 64 + threadIdx.x], lane = threadIdx.x % 32;
    bool wanted = value % 3 == 0;
    unsigned mask = __ballot_sync(~0u, wanted);
    if (wanted) {
        unsigned base = 0;
        if (lane == __ffs(mask) - 1) {
            base = atomicAdd(count, __popc(mask));
        }
        base = __shfl_sync(mask, base, __ffs(mask) - 1);
        out[base + __popc(mask & ((1u << lane) - 1))] = value;
    }
}
