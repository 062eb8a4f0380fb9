// thrust::sort with a comparison of its own, and thrust::unique.
//@ architectures: 75 80 90 90a 100 120
//@ flags: --expt-extended-lambda
#include <thrust/device_vector.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

#include "support/launch.cuh"

int main()
{
    thrust::device_vector<int> values(1000);
    thrust::sequence(values.begin(), values.end());
    thrust::sort(values.begin(), values.end(), [] __device__(int a, int b) { return a % 10 < b % 10; });
    auto end = thrust::unique(values.begin(), values.end(), [] __device__(int a, int b) { return a % 10 == b % 10; });
    return corpus::finish("thrust_sort", end - values.begin() == 10);
}
