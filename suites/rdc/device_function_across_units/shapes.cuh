// Device functions that one unit defines and the other calls.
#pragma once

struct Pair {
    int first;
    double second;
};

__device__ int add_three(int a, int b, int c);
__device__ Pair make_pair_of(int value);
__device__ void write_through(int *target, const Pair &pair);
