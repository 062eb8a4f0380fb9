// RACY. The reader is launched first and is in another stream.
//@ launch: read<<<1, 64, stream=1>>>(out: u32[64])
//@ launch: write<<<1, 64, stream=2>>>()

__device__ unsigned table[64];

__global__ void write() {
    table[threadIdx.x] = threadIdx.x;
}

__global__ void read(unsigned* out) {
    out[threadIdx.x] = table[threadIdx.x ^ 1];  //~ race: inter-kernel error (with line 8)
}
