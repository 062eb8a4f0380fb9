// Thrust over device vectors: sort, stable sort by key, transform, scans, sequence, gather.
#include "support/check.cuh"

#include <algorithm>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/gather.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

struct SquareMinus {
    int amount;
    __host__ __device__ int operator()(int v) const { return v * v - amount; }
};

struct ByLastDigit {
    __host__ __device__ bool operator()(int a, int b) const { return a % 10 < b % 10; }
};

template <typename T> std::vector<T> on_host(const thrust::device_vector<T> &vector) {
    std::vector<T> host(vector.size());
    thrust::copy(vector.begin(), vector.end(), host.begin());
    return host;
}

int main() {
    const int n = 10007;
    auto in = check::integers<int>(n, 451, 0, 30000);
    {
        thrust::device_vector<int> v(in.begin(), in.end());
        thrust::sort(v.begin(), v.end());
        auto expected = in;
        std::sort(expected.begin(), expected.end());
        check::exact("thrust_sort", on_host(v), expected);
    }
    {
        // An order of one's own takes the merge sort instead of the radix sort.
        thrust::device_vector<int> v(in.begin(), in.end());
        thrust::stable_sort(v.begin(), v.end(), ByLastDigit());
        auto expected = in;
        std::stable_sort(expected.begin(), expected.end(), ByLastDigit());
        check::exact("thrust_stable_sort", on_host(v), expected);
    }
    {
        thrust::device_vector<int> keys(in.begin(), in.end()), values(n), gathered(n);
        thrust::device_vector<int> source(in.begin(), in.end());
        thrust::sequence(values.begin(), values.end());
        thrust::stable_sort_by_key(keys.begin(), keys.end(), values.begin());
        std::vector<int> expected(n), sorted = in;
        for (int i = 0; i < n; ++i) {
            expected[i] = i;
        }
        std::stable_sort(expected.begin(), expected.end(), [&](int a, int b) { return in[a] < in[b]; });
        check::exact("thrust_stable_sort_by_key", on_host(values), expected);
        thrust::gather(values.begin(), values.end(), source.begin(), gathered.begin());
        std::sort(sorted.begin(), sorted.end());
        check::exact("thrust_gather", on_host(gathered), sorted);
    }
    {
        thrust::device_vector<int> v(in.begin(), in.end());
        thrust::transform(v.begin(), v.end(), v.begin(), SquareMinus{77});
        std::vector<int> expected(n);
        for (int i = 0; i < n; ++i) {
            expected[i] = in[i] * in[i] - 77;
        }
        check::exact("thrust_transform", on_host(v), expected);
        thrust::device_vector<unsigned> words(in.begin(), in.end()), out(n);
        thrust::inclusive_scan(words.begin(), words.end(), out.begin());
        std::vector<unsigned> running(n);
        for (int i = 0; i < n; ++i) {
            running[i] = static_cast<unsigned>(in[i]) + (i ? running[i - 1] : 0);
        }
        check::exact("thrust_inclusive_scan", on_host(out), running);
        thrust::exclusive_scan(words.begin(), words.end(), out.begin(), 5u);
        for (int i = n - 1; i >= 0; --i) {
            running[i] = (i ? running[i - 1] : 0) + 5;
        }
        check::exact("thrust_exclusive_scan", on_host(out), running);
    }
    return check::finish();
}
