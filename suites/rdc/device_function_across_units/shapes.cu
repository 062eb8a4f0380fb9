#include "shapes.cuh"

__device__ int add_three(int a, int b, int c)
{
    return a + b + c;
}

__device__ Pair make_pair_of(int value)
{
    return Pair{value * 2, value * 0.5};
}

__device__ void write_through(int *target, const Pair &pair)
{
    *target = pair.first + static_cast<int>(pair.second);
}
