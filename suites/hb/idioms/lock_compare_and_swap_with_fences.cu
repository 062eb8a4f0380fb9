// CLEAN. A spin lock: the fence after the compare-and-swap and the one before the exchange make acquire and release patterns.
//@ launch: add<<<4, 1>>>(lock: u32[1], total: u32[1])

__global__ void add(unsigned* lock, unsigned* total) {
    while (atomicCAS(lock, 0u, 1u) != 0u) {
    }
    __threadfence();
    *total = *total + blockIdx.x + 1;
    __threadfence();
    atomicExch(lock, 0u);
}
