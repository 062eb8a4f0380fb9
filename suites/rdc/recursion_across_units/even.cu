#include "parity.cuh"

__device__ bool is_even(unsigned n)
{
    return n == 0 || is_odd(n - 1);
}

__device__ int ackermann(int m, int n)
{
    if (m == 0) {
        return n + 1;
    }
    return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
