// RACY. Each block takes a lock, but not the same one: the locksets do not intersect.
//@ launch: add<<<2, 1>>>(locks: u32[2], total: u32[1])

__global__ void add(unsigned* locks, unsigned* total) {
    unsigned* lock = locks + blockIdx.x;
    while (atomicCAS(lock, 0u, 1u) != 0u) {
    }
    __threadfence();
    *total = *total + blockIdx.x + 1;  //~ race: lock (with itself)
    __threadfence();
    atomicExch(lock, 0u);
}
