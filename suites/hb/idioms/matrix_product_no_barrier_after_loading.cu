// RACY. Tiles are used before the other warp has loaded its part. A row of the left tile is loaded by the own warp (a warning),
// a column of the right tile by all.
//@ launch: multiply<<<1, 8x8>>>(a: u32[64] = iota, b: u32[64] = iota, c: u32[64])

__global__ void multiply(unsigned* a, unsigned* b, unsigned* c) {
    __shared__ unsigned left[8][8], right[8][8];
    unsigned x = threadIdx.x, y = threadIdx.y, sum = 0;
    left[y][x] = a[y * 8 + x];
    right[y][x] = b[y * 8 + x];
    for (int k = 0; k < 8; ++k) {
        sum += left[y][k];  //~ race: warp-sync error (with line 8)
        sum += right[k][x];  //~ race: warp-sync error (with line 9) //~ race: missing-sync (with line 9)
    }
    c[y * 8 + x] = sum;
}
