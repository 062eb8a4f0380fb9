// RACY. A search tree that grows without locks: links are set by compare-and-swap, and read by plain loads on the way down.
//@ launch: insert<<<6, 1>>>(keys: u32[7] = iota, children: u32[14])
//@ groups: 1
//@ advice: make both accesses atomic

__global__ void insert(const unsigned* keys, unsigned* children) {
    unsigned me = blockIdx.x + 1;
    unsigned key = keys[me] * 5 % 7;
    unsigned at = 0;
    while (true) {
        unsigned* link = children + 2 * at + (key > keys[at] * 5 % 7);
        unsigned next = *link;  //~ race: missing-sync error (with line 14)
        if (next == 0) {
            next = atomicCAS(link, 0u, me);
        }
        if (next == 0) {
            break;
        }
        at = next;
    }
}
