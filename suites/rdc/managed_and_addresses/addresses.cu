#include "data.cuh"

__device__ int *pointer_to_target = &target;
__device__ const int *pointers[3] = {&numbers[2], numbers, &target};
__device__ int (*pointer_to_function)(int) = increment;
__constant__ int *constant_pointer = &numbers[3];
