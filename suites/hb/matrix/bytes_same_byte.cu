// RACY. "Overlap is by byte range": two blocks write the same byte.
//@ launch: fill<<<2, 32>>>(bytes: u8[32])

__global__ void fill(unsigned char* bytes) {
    bytes[threadIdx.x] = threadIdx.x + blockIdx.x;  //~ race: missing-sync error (with itself)
}
