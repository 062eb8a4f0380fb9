// Variables that one unit defines and both use.
#pragma once

struct Limits {
    int low, high;
    float scale;
};

extern __device__ int counter;
extern __device__ double table[8];
extern __constant__ Limits limits;
extern __constant__ int weights[4];
__device__ void count(int by);
