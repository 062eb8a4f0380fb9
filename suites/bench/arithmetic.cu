// Arithmetic alone: two chains of integer and two of f32 operations per thread, no memory inside the loop.
// Every lane has other values, so nothing can be computed once for a warp.

extern "C" __global__ void arithmetic(unsigned *result, unsigned iterations) {
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned a = thread * 2654435761u + 1u;
    unsigned b = thread ^ 0x9e3779b9u;
    float x = (float)(thread & 1023u) * 0.001f;
    float y = 1.0f - x;
    for (unsigned i = 0; i < iterations; i++) {
#pragma unroll
        for (int step = 0; step < 8; step++) {
            a = a * 1664525u + b;
            x = fmaf(x, 0.5f, y);
            b ^= a >> 7;
            y = fmaf(y, -0.5f, x);
            b = b + (a & 0x55555555u);
            x = fmaf(y, 0.125f, x);
            a = a - (b << 3);
            y = fmaf(y, 0.25f, 0.5f);
        }
        // Without this, the floating-point chains of all lanes would soon have the same value.
        y = fmaf((float)(a & 1023u), 0.001f, y);
    }
    result[thread] = a ^ b ^ __float_as_uint(x) ^ __float_as_uint(y);
}
