// RACY. One block adds under a lock, taken and given back; the other reads without it.
//@ launch: mixed<<<2, 1>>>(lock: u32[1], data: u32[1], out: u32[1])

__global__ void mixed(unsigned* lock, unsigned* data, unsigned* out) {
    if (blockIdx.x == 0) {
        while (atomicCAS(lock, 0u, 1u) != 0u) {
        }
        __threadfence();
        *data = 5;
        __threadfence();
        atomicExch(lock, 0u);
    } else {
        *out = *data;  //~ race: lock (with line 9)
    }
}
