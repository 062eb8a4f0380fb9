// CLEAN. Lanes with the same key elect one of them, which alone writes.
//@ launch: distinct<<<1, 32>>>(out: u32[8])

__global__ void distinct(unsigned* out) {
    unsigned key = threadIdx.x * 5 % 8;
    unsigned same = __match_any_sync(~0u, key);
    if (threadIdx.x == __ffs(same) - 1) {
        out[key] = __popc(same);
    }
}
