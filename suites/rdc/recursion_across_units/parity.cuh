// Functions of two units that call each other.
#pragma once

__device__ bool is_even(unsigned n);
__device__ bool is_odd(unsigned n);
__device__ int ackermann(int m, int n);
