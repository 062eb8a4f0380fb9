// CLEAN. Tiles of a matrix product with a barrier after loading and one after use.
//@ launch: multiply<<<1, 8x8>>>(a: u32[256] = iota, b: u32[256] = iota, c: u32[64])

__global__ void multiply(unsigned* a, unsigned* b, unsigned* c) {
    __shared__ unsigned left[8][8], right[8][8];
    unsigned x = threadIdx.x, y = threadIdx.y, sum = 0;
    for (int tile = 0; tile < 4; ++tile) {
        left[y][x] = a[y * 32 + tile * 8 + x];
        right[y][x] = b[(tile * 8 + y) * 8 + x];
        __syncthreads();
        for (int k = 0; k < 8; ++k) {
            sum += left[y][k] * right[k][x];
        }
        __syncthreads();
    }
    c[y * 8 + x] = sum;
}
