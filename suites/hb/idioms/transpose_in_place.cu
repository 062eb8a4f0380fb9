// RACY. A transpose in place, each thread moving one element: it overwrites what its mirror reads.
//@ launch: transpose<<<1, 32x32>>>(matrix: u32[1024] = iota)

__global__ void transpose(unsigned* matrix) {
    unsigned value = matrix[threadIdx.x * 32 + threadIdx.y];
    matrix[threadIdx.y * 32 + threadIdx.x] = value;  //~ race: missing-sync (with line 5)
}
