// RACY. The index is followed without acquire. That the address depends on it is no order in PTX.
//@ launch: publish<<<2, 1>>>(head: u32[1], nodes: u32[8], out: u32[1])
#include "support/ptx.cuh"

__global__ void publish(unsigned* head, unsigned* nodes, unsigned* out) {
    if (blockIdx.x == 0) {
        nodes[5] = 42;
        store_release(head, 5);
    } else {
        unsigned index = load_relaxed(head);
        while (index == 0) {
            index = load_relaxed(head);
        }
        *out = nodes[index];  //~ race: missing-fence (with line 7)
    }
}
