// CLEAN. Keys by compare-and-swap, values by atomic additions: a counting table needs no order.
//@ launch: table<<<2, 32>>>(in: u32[64] = iota, keys: u32[16], counts: u32[16])

__global__ void table(unsigned* in, unsigned* keys, unsigned* counts) {
    unsigned key = in[blockIdx.x * 32 + threadIdx.x] % 5 + 1, slot = key * 3 % 16;
    while (true) {
        unsigned found = atomicCAS(keys + slot, 0u, key);
        if (found == 0 || found == key) {
            break;
        }
        slot = (slot + 1) % 16;
    }
    atomicAdd(counts + slot, 1u);
}
