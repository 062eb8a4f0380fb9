// CLEAN. counter_read_as_a_hint.cu, and its advice: "make both accesses atomic".
//@ launch: fill<<<8, 1>>>(count: u32[1], slots: u32[4])

__global__ void fill(unsigned* count, unsigned* slots) {
    if (atomicAdd(count, 0u) < 4) {
        unsigned slot = atomicAdd(count, 1u);
        if (slot < 4) {
            slots[slot] = blockIdx.x;
        }
    }
}
