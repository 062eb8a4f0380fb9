// thrust::transform with one and two inputs, a counting iterator, and inclusive_scan.
//@ architectures: 75 80 90 90a 100 120
#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/scan.h>
#include <thrust/transform.h>

#include "support/launch.cuh"

struct Square {
    __host__ __device__ int operator()(int a) const { return a * a; }
};

struct Multiply {
    __host__ __device__ int operator()(int a, int b) const { return a * b; }
};

int main()
{
    thrust::device_vector<int> values(1000), sums(1000);
    thrust::transform(thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(1000), values.begin(), Square{});
    thrust::transform(values.begin(), values.end(), values.begin(), sums.begin(), Multiply{});
    thrust::inclusive_scan(values.begin(), values.end(), sums.begin());
    return corpus::finish("thrust_transform_scan", sums[10] == 385);
}
