// RACY. "Two operations that overlap, at least one a write": two blocks write different values.
//@ launch: fill<<<2, 32>>>(data: u32[32])

__global__ void fill(unsigned* data) {
    data[threadIdx.x] = blockIdx.x;  //~ race: missing-sync error (with itself)
}
