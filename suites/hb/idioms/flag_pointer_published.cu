// CLEAN. The flag is the place of the data itself: an index that is stored with release and followed after an acquire.
//@ launch: publish<<<2, 1>>>(head: u32[1], nodes: u32[8], out: u32[1])
#include "support/ptx.cuh"

__global__ void publish(unsigned* head, unsigned* nodes, unsigned* out) {
    if (blockIdx.x == 0) {
        nodes[5] = 42;
        store_release(head, 5);
    } else {
        unsigned index = load_acquire(head);
        while (index == 0) {
            index = load_acquire(head);
        }
        *out = nodes[index];
    }
}
