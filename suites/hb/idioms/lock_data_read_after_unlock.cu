// RACY. Each block reads the total once more after it has given the lock back.
//@ launch: add<<<2, 1>>>(lock: u32[1], total: u32[1], out: u32[2])

__global__ void add(unsigned* lock, unsigned* total, unsigned* out) {
    while (atomicCAS(lock, 0u, 1u) != 0u) {
    }
    __threadfence();
    *total = *total + blockIdx.x + 1;
    __threadfence();
    atomicExch(lock, 0u);
    asm volatile("ld.u32 %0, [%1];" : "=r"(out[blockIdx.x]) : "l"(total) : "memory");  //~ race: lock (with line 8)
}
