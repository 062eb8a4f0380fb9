// CLEAN. "Overlap is by byte range": each thread has one byte of the words.
//@ launch: fill<<<1, 64>>>(bytes: u8[64])

__global__ void fill(unsigned char* bytes) {
    bytes[threadIdx.x] = threadIdx.x;
    bytes[threadIdx.x] += 1;
}
