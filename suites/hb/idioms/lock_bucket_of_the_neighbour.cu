// RACY. Each block takes the lock of its own bucket, but changes bucket 0.
//@ launch: add<<<2, 1>>>(locks: u32[2], buckets: u32[2])

__global__ void add(unsigned* locks, unsigned* buckets) {
    unsigned mine = blockIdx.x;
    while (atomicCAS(locks + mine, 0u, 1u) != 0u) {
    }
    __threadfence();
    buckets[0] = buckets[0] + mine + 1;  //~ race: lock (with itself)
    __threadfence();
    atomicExch(locks + mine, 0u);
}
