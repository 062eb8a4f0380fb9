// CLEAN. A launch that leaves its lock taken; the next launch does not care, for launches are ordered.
//@ launch: take<<<1, 1>>>()
//@ launch: use<<<1, 1>>>(out: u32[1])

__device__ unsigned lock, data;

__global__ void take() {
    while (atomicCAS(&lock, 0u, 1u) != 0u) {
    }
    __threadfence();
    data = 5;
}

__global__ void use(unsigned* out) {
    *out = data;
}
