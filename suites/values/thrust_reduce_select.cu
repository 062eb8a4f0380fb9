// Thrust over device vectors: reduce, transform_reduce, reduce_by_key, unique, partition, copy_if, count_if, extrema.
#include "support/check.cuh"

#include <algorithm>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/functional.h>
#include <thrust/inner_product.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>

struct Squared {
    __host__ __device__ long long operator()(int v) const { return static_cast<long long>(v) * v; }
};

struct IsNegative {
    __host__ __device__ bool operator()(int v) const { return v < 0; }
};

template <typename T> std::vector<T> on_host(const thrust::device_vector<T> &vector, size_t count) {
    std::vector<T> host(count);
    thrust::copy(vector.begin(), vector.begin() + count, host.begin());
    return host;
}

int main() {
    const int n = 10007;
    auto in = check::integers<int>(n, 461, -3, 3);
    thrust::device_vector<int> v(in.begin(), in.end());
    {
        long long sum = 0, squares = 0;
        int negative = 0;
        for (int x : in) {
            sum += x;
            squares += x * x;
            negative += x < 0;
        }
        std::vector<long long> got{
            thrust::reduce(v.begin(), v.end(), 0ll, thrust::plus<long long>()),
            thrust::transform_reduce(v.begin(), v.end(), Squared(), 0ll, thrust::plus<long long>()),
            static_cast<long long>(thrust::count_if(v.begin(), v.end(), IsNegative())),
            static_cast<long long>(thrust::max_element(v.begin(), v.end()) - v.begin()),
            thrust::inner_product(v.begin(), v.end(), v.begin(), 0ll)};
        long long first_maximum = std::max_element(in.begin(), in.end()) - in.begin();
        check::exact("thrust_reductions", got, std::vector<long long>{sum, squares, negative, first_maximum, squares});
    }
    {
        thrust::device_vector<int> keys(n), sums(n), ones(n, 1);
        auto ends = thrust::reduce_by_key(v.begin(), v.end(), ones.begin(), keys.begin(), sums.begin());
        std::vector<int> expected_keys, expected_sums;
        for (int i = 0; i < n; ++i) {
            if (i == 0 || in[i] != in[i - 1]) {
                expected_keys.push_back(in[i]);
                expected_sums.push_back(0);
            }
            ++expected_sums.back();
        }
        check::exact("thrust_reduce_by_key_keys", on_host(keys, ends.first - keys.begin()), expected_keys);
        check::exact("thrust_reduce_by_key_sums", on_host(sums, ends.second - sums.begin()), expected_sums);
        thrust::device_vector<int> copy = v;
        auto end = thrust::unique(copy.begin(), copy.end());
        check::exact("thrust_unique", on_host(copy, end - copy.begin()), expected_keys);
    }
    {
        thrust::device_vector<int> copy = v, chosen(n);
        thrust::stable_partition(copy.begin(), copy.end(), IsNegative());
        auto expected = in;
        std::stable_partition(expected.begin(), expected.end(), IsNegative());
        check::exact("thrust_stable_partition", on_host(copy, n), expected);
        auto end = thrust::copy_if(v.begin(), v.end(), chosen.begin(), IsNegative());
        expected.resize(std::count_if(in.begin(), in.end(), IsNegative()));
        check::exact("thrust_copy_if", on_host(chosen, end - chosen.begin()), expected);
    }
    return check::finish();
}
