#include "data.cuh"

__managed__ int managed_counter = 5;
__managed__ float managed_values[4] = {1, 2, 3, 4};
__device__ int target = 42;
__device__ int numbers[4] = {10, 20, 30, 40};

__device__ int increment(int x)
{
    return x + 1;
}
