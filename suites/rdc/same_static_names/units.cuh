// Two units with static functions, variables and kernels of the same names.
#pragma once

int run_first(int *out);
int run_second(int *out);
__device__ int first_helper();
__device__ int second_helper();
