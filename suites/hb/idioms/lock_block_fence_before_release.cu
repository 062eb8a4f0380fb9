// RACY. Only the fence before the release has block scope. One end that is too narrow is enough.
//@ launch: add<<<2, 1>>>(lock: u32[1], total: u32[1])

__global__ void add(unsigned* lock, unsigned* total) {
    while (atomicCAS(lock, 0u, 1u) != 0u) {
    }
    __threadfence();
    *total = *total + blockIdx.x + 1;  //~ race: scope (with itself)
    __threadfence_block();
    atomicExch(lock, 0u);
}
