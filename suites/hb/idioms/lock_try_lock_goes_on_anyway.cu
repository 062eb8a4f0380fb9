// RACY. The loser of a try-lock reads the data all the same. The winner never gives the lock back: "a compare-and-swap that claims" is no lock.
//@ launch: once<<<2, 1>>>(lock: u32[1], data: u32[1], out: u32[1])

__global__ void once(unsigned* lock, unsigned* data, unsigned* out) {
    if (atomicCAS(lock, 0u, 1u) == 0u) {
        __threadfence();
        *data = 5;
    } else {
        *out = *data;  //~ race: missing-sync (with line 7)
    }
}
