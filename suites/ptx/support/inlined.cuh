// Small functions for line_information.cu to inline from a second file.
#pragma once

namespace inlined {

__device__ __forceinline__ int once(int x)
{
    return x * 2 + 1;
}

__device__ __forceinline__ int twice(int x)
{
    return once(x) + once(x + 1) - 2;
}

__device__ __forceinline__ int clamped(int x, int low, int high)
{
    if (x < low) {
        return once(low);
    }
    return x > high ? twice(high) : x;
}

} // namespace inlined
