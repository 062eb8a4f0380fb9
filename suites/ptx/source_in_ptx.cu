// PTX with the source lines between the instructions, as -src-in-ptx writes it.
//@ architectures: 75 80 90 90a 100 120
//@ flags: -lineinfo -src-in-ptx
//@ modes: O3 rdc
#include "support/launch.cuh"

__device__ __noinline__ float weighted(float a, float b /* a comment; with { odd } characters */)
{
    return a * 0.25f + b * 0.75f; // "quoted" text and a trailing \ mark
}

__global__ void smooth(float *out, const float *in, int n)
{
    for (int i = static_cast<int>(threadIdx.x); i + 1 < n; i += static_cast<int>(blockDim.x)) {
        out[i] = weighted(in[i], in[i + 1]);
    }
}

int main()
{
    float *out = corpus::device_array<float>(64);
    smooth<<<1, 32>>>(out, corpus::device_array<float>(64), 64);
    return corpus::finish("source_in_ptx", corpus::read_back(out) == 0.0f);
}
