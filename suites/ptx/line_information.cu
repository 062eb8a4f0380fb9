// Line tables of optimised code: chains of inlined functions over several files, lambdas, macros and #line.
//@ flags: -lineinfo
//@ modes: O3 rdc
#include "support/inlined.cuh"
#include "support/launch.cuh"

#define TWICE(x) (inlined::once(x) + inlined::once((x) + 1))

template <int Depth> __device__ __forceinline__ int nested(const int *in, int i)
{
    if constexpr (Depth == 0) {
        return in[i];
    } else {
        return nested<Depth - 1>(in, i) + in[i + Depth];
    }
}

__global__ void chains(int *out, const int *in)
{
    const int i = static_cast<int>(threadIdx.x);
    auto local = [&](int x) { return inlined::twice(x) + in[x & 31]; };
    out[i] = nested<4>(in, i) + TWICE(i) + local(i) + inlined::clamped(in[i], 3, 9);
}

#line 1000 "generated file.cu"
__global__ void renumbered(int *out)
{
    out[threadIdx.x] = inlined::twice(static_cast<int>(threadIdx.x));
}

__device__ __noinline__ int called(int x)
{
    return inlined::twice(x) - 1;
}

#line 40 "line_information.cu"
__global__ void calls(int *out)
{
    out[threadIdx.x] = called(static_cast<int>(threadIdx.x)) + called(7);
}

#ifndef __CUDACC_RTC__
int main()
{
    int *out = corpus::device_array<int>(64);
    chains<<<1, 32>>>(out, corpus::device_array<int>(64));
    renumbered<<<1, 32>>>(out);
    return corpus::finish("line_information", corpus::read_back(out, 3) == 14);
}
#endif
