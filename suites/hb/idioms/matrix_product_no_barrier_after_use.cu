// RACY. The next tile of the right matrix is loaded while the other warp still uses this one.
//@ launch: multiply<<<1, 8x8>>>(b: u32[256] = iota, c: u32[64])

__global__ void multiply(unsigned* b, unsigned* c) {
    __shared__ unsigned right[8][8];
    unsigned x = threadIdx.x, y = threadIdx.y, sum = 0;
    for (int tile = 0; tile < 4; ++tile) {
        right[y][x] = b[(tile * 8 + y) * 8 + x];
        __syncthreads();
        // The row of the same lane in the other warp.
        sum += right[7 - y][x];  //~ race: missing-sync (with line 8)
    }
    c[y * 8 + x] = sum;
}
