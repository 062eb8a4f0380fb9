// CLEAN. The second launch sees the flag that the first one left; what was written in the first is ordered anyway.
//@ launch: first<<<2, 1>>>()
//@ launch: second<<<2, 1>>>(out: u32[2])

__device__ unsigned flag, data;

__global__ void first() {
    if (blockIdx.x == 0) {
        data = 42;
        flag = 1;
    }
}

__global__ void second(unsigned* out) {
    out[blockIdx.x] = flag == 1 ? data : 0;
}
