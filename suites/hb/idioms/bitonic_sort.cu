// CLEAN. Bitonic sort in shared memory with a barrier in each step.
//@ launch: sort<<<1, 64>>>(keys: u32[64] = random)

__global__ void sort(unsigned* keys) {
    __shared__ unsigned part[64];
    unsigned t = threadIdx.x;
    part[t] = keys[t] % 1000;
    __syncthreads();
    for (unsigned size = 2; size <= 64; size *= 2) {
        for (unsigned stride = size / 2; stride > 0; stride /= 2) {
            unsigned other = t ^ stride;
            if (other > t && (part[t] > part[other]) == ((t & size) == 0)) {
                unsigned kept = part[t];
                part[t] = part[other];
                part[other] = kept;
            }
            __syncthreads();
        }
    }
    keys[t] = part[t];
}
