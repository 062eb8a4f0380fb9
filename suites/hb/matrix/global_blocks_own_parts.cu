// CLEAN. "Overlap is by byte range": every block has its own words of one array.
//@ launch: fill<<<4, 32>>>(data: u32[128])

__global__ void fill(unsigned* data) {
    unsigned* mine = data + blockIdx.x * 32;
    mine[threadIdx.x] = threadIdx.x;
    __syncthreads();
    mine[31 - threadIdx.x] += 1;
}
