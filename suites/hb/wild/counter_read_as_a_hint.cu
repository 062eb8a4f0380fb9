// RACY. A plain load of a counter that others add to, only to save an atomic when it is full.
//@ launch: fill<<<8, 1>>>(count: u32[1], slots: u32[4])
//@ groups: 1
//@ advice: make both accesses atomic

__global__ void fill(unsigned* count, unsigned* slots) {
    if (*count < 4) {  //~ race: missing-sync error (with line 8)
        unsigned slot = atomicAdd(count, 1u);
        if (slot < 4) {
            slots[slot] = blockIdx.x;
        }
    }
}
