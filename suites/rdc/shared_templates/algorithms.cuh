// Inline functions and templates that both units instantiate: one copy must survive the link.
#pragma once

inline __device__ int inline_function(int x)
{
    int product = 1;
    for (int i = 1; i <= x; ++i) {
        product *= i;
    }
    return product;
}

template <typename T> __device__ __noinline__ T sum_of(const T *values, int n)
{
    T sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += values[i];
    }
    return sum;
}

template <typename T> struct Accumulator {
    T total;
    __device__ __noinline__ void add(T value) { total += value; }
};

template <typename T> __device__ T bias = T(5);

template <int N> __global__ void template_kernel(int *out)
{
    const int values[4] = {N, N + 1, N + 2, N + 3};
    Accumulator<int> accumulator{bias<int>};
    accumulator.add(sum_of(values, 4));
    out[0] = accumulator.total + inline_function(N);
}

int run_here(int *out);
int run_there(int *out);
