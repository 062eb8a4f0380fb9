// What -use_fast_math makes of ordinary code: flushed denormals, approximate division, roots and functions.
//@ flags: -use_fast_math
#include "support/launch.cuh"

__global__ void functions(float *out)
{
    const float a = out[threadIdx.x], b = out[threadIdx.x + 1];
    float s, c;
    sincosf(a, &s, &c);
    out[threadIdx.x] = sinf(a) * cosf(b) + expf(a) / logf(b) + powf(a, b) + sqrtf(a) + 1.0f / b + rsqrtf(a) + tanf(b) + exp2f(a) + log2f(b) + s * c
        + tanhf(a) + exp10f(b) + fminf(a, b) + fmaxf(a, b) + fabsf(a);
}

__global__ void contraction(float *out, double *wide)
{
    const int i = threadIdx.x;
    out[i] = out[i] * out[i + 1] + out[i + 2] - out[i + 3] * 2.0f;
    out[i] = out[i] > 0.0f ? out[i] / out[i + 1] : -out[i];
    wide[i] = wide[i] * wide[i + 1] + wide[i + 2] / wide[i + 3] + sqrt(wide[i]);
}

__global__ void normalise(float4 *vectors, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float4 v = vectors[i];
        const float scale = rsqrtf(v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w);
        vectors[i] = make_float4(v.x * scale, v.y * scale, v.z * scale, v.w * scale);
    }
}

#ifndef __CUDACC_RTC__
int main()
{
    float *out = corpus::device_array<float>(64);
    functions<<<1, 32>>>(out);
    contraction<<<1, 32>>>(out, corpus::device_array<double>(64));
    normalise<<<1, 32>>>(corpus::device_array<float4>(64), 64);
    return corpus::finish("float_fast_math");
}
#endif
