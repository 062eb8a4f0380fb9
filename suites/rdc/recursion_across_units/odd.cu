#include "parity.cuh"

__device__ bool is_odd(unsigned n)
{
    return n != 0 && is_even(n - 1);
}
