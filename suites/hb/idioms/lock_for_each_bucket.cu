// CLEAN. A lock for each bucket: threads in different buckets hold different locks, and touch different words.
//@ launch: add<<<4, 64>>>(locks: u32[4], buckets: u32[4])

__global__ void add(unsigned* locks, unsigned* buckets) {
    if (threadIdx.x % 32 == 0) {
        unsigned bucket = (blockIdx.x + threadIdx.x / 32) % 4;
        while (atomicCAS(locks + bucket, 0u, 1u) != 0u) {
        }
        __threadfence();
        buckets[bucket] = buckets[bucket] + 1;
        __threadfence();
        atomicExch(locks + bucket, 0u);
    }
}
