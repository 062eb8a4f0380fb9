// RACY. A race inside one launch of a stream keeps its own kind.
//@ launch: shift<<<1, 64, stream=1>>>()
//@ launch: shift<<<1, 64, stream=1>>>()

__device__ unsigned table[64];

__global__ void shift() {
    unsigned before = table[(threadIdx.x + 32) % 64];
    table[threadIdx.x] = before + 1;  //~ race: missing-sync error (with line 8)
}
