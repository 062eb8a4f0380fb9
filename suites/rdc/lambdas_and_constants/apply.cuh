// Device lambdas passed to a template of a header, namespace-scope constants, inline variables and noinline functions.
#pragma once

namespace settings {
constexpr int rows = 4;
const int columns = 8;
inline constexpr float factor = 1.5f;
} // namespace settings

template <typename Function> __global__ void apply(int *out, Function function)
{
    out[threadIdx.x] = function(static_cast<int>(threadIdx.x));
}

__device__ __noinline__ int scaled(int value);
extern "C" __device__ int c_function(int value);
int run_with_lambda(int *out, int captured);
