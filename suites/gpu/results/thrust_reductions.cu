// Thrust: sums of transformed values, inner products, extremes and counts.
#include "thrust_support.h"
#include <numeric>
#include <thrust/count.h>
#include <thrust/extrema.h>
#include <thrust/functional.h>
#include <thrust/inner_product.h>
#include <thrust/logical.h>
#include <thrust/transform_reduce.h>

struct Square {
    __host__ __device__ unsigned long long operator()(uint32_t value) const { return static_cast<unsigned long long>(value) * value; }
};

struct IsOdd {
    __host__ __device__ bool operator()(uint32_t value) const { return value % 2 == 1; }
};

int main(int argc, char** argv) {
    size_t count = elements(argc, argv);
    std::vector<uint32_t> a = numbers<uint32_t>(count, 1, 100000), b = numbers<uint32_t>(count, 2, 100000);
    unsigned long long squares = 0, product = 0, odd = 0;
    for (size_t i = 0; i < count; i++) {
        squares += Square()(a[i]);
        product += static_cast<unsigned long long>(a[i]) * b[i];
        odd += IsOdd()(a[i]);
    }
    thrust::device_vector<uint32_t> device_a = to_device(a), device_b = to_device(b);
    expect("sum_of_squares", thrust::transform_reduce(device_a.begin(), device_a.end(), Square(), 0ull, thrust::plus<unsigned long long>()),
           squares);
    expect("inner_product", thrust::inner_product(device_a.begin(), device_a.end(), device_b.begin(), 0ull,
                                                  thrust::plus<unsigned long long>(), thrust::multiplies<unsigned long long>()),
           product);
    expect("odd", static_cast<unsigned long long>(thrust::count_if(device_a.begin(), device_a.end(), IsOdd())), odd);
    auto extremes = thrust::minmax_element(device_a.begin(), device_a.end());
    expect("smallest", static_cast<uint32_t>(*extremes.first), *std::min_element(a.begin(), a.end()));
    expect("largest", static_cast<uint32_t>(*extremes.second), *std::max_element(a.begin(), a.end()));
    expect("first_largest", static_cast<long>(thrust::max_element(device_a.begin(), device_a.end()) - device_a.begin()),
           static_cast<long>(std::max_element(a.begin(), a.end()) - a.begin()));
    expect("all_odd", static_cast<int>(thrust::all_of(device_a.begin(), device_a.end(), IsOdd())), static_cast<int>(odd == count));
    return finish();
}
