#include "state.cuh"

__device__ int counter = 100;
__device__ double table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__constant__ Limits limits = {-5, 50, 1.5f};
__constant__ int weights[4] = {1, 10, 100, 1000};

__device__ void count(int by)
{
    atomicAdd(&counter, by);
}
