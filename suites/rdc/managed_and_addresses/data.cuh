// Managed variables shared by units, and variables initialised with addresses of another unit's symbols.
#pragma once

extern __managed__ int managed_counter;
extern __managed__ float managed_values[4];
extern __device__ int target;
extern __device__ int numbers[4];
extern __device__ int *pointer_to_target;
extern __device__ const int *pointers[3];
extern __device__ int (*pointer_to_function)(int);
extern __constant__ int *constant_pointer;
__device__ int increment(int x);
