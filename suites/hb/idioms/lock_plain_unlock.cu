// RACY. The lock is given back by a plain store. A weak write is observed by nobody, and races with the next compare-and-swap.
//@ launch: add<<<2, 1>>>(lock: u32[1], total: u32[1])

__global__ void add(unsigned* lock, unsigned* total) {
    while (atomicCAS(lock, 0u, 1u) != 0u) {
    }
    __threadfence();
    *total = *total + blockIdx.x + 1;  //~ race: missing-sync (with itself)
    __threadfence();
    asm volatile("st.u32 [%0], 0;" ::"l"(lock) : "memory");  //~ race: missing-sync (with line 5) //~ race: same-value warning (with itself)
}
