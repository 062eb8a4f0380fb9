// CLEAN. One block holds two locks, the other only one of them: that one orders their accesses.
//@ launch: add<<<2, 1>>>(locks: u32[2], total: u32[1])

__device__ void take(unsigned* lock) {
    while (atomicCAS(lock, 0u, 1u) != 0u) {
    }
    __threadfence();
}

__device__ void give_back(unsigned* lock) {
    __threadfence();
    atomicExch(lock, 0u);
}

__global__ void add(unsigned* locks, unsigned* total) {
    if (blockIdx.x == 0) {
        take(&locks[0]);
    }
    take(&locks[1]);
    *total = *total + blockIdx.x + 1;
    give_back(&locks[1]);
    if (blockIdx.x == 0) {
        give_back(&locks[0]);
    }
}
