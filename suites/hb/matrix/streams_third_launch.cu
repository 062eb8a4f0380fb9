// RACY. The last launch is ordered after the first, which is in its stream, and not after the second.
//@ launch: first<<<1, 32, stream=1>>>()
//@ launch: second<<<1, 32, stream=2>>>()
//@ launch: third<<<1, 32, stream=1>>>(out: u32[64])

__device__ unsigned one[32], two[32];

__global__ void first() {
    one[threadIdx.x] = 1;
}

__global__ void second() {
    two[threadIdx.x] = 2;
}

__global__ void third(unsigned* out) {
    out[threadIdx.x] = one[threadIdx.x];
    out[threadIdx.x + 32] = two[threadIdx.x];  //~ race: inter-kernel error (with line 13)
}
