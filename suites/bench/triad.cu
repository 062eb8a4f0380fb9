// Memory alone: a[i] = b[i] + scale * c[i] with a grid-stride loop.

extern "C" __global__ void triad(float *a, const float *b, const float *c, float scale, unsigned n) {
    unsigned stride = gridDim.x * blockDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        a[i] = b[i] + scale * c[i];
    }
}
