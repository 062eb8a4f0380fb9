// RACY. "No ordering at all between two blocks".
//@ launch: hand_over<<<2, 32>>>(data: u32[64], out: u32[64])

__global__ void hand_over(unsigned* data, unsigned* out) {
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x;
    } else {
        out[threadIdx.x] = data[threadIdx.x];  //~ race: missing-sync error (with line 6)
    }
}
