// CLEAN. tree_read_optimistically.cu, and its advice: "make both accesses atomic".
//@ launch: insert<<<6, 1>>>(keys: u32[7] = iota, children: u32[14])

__global__ void insert(const unsigned* keys, unsigned* children) {
    unsigned me = blockIdx.x + 1;
    unsigned key = keys[me] * 5 % 7;
    unsigned at = 0;
    while (true) {
        unsigned* link = children + 2 * at + (key > keys[at] * 5 % 7);
        unsigned next = atomicAdd(link, 0u);
        if (next == 0) {
            next = atomicCAS(link, 0u, me);
        }
        if (next == 0) {
            break;
        }
        at = next;
    }
}
