// Thrust: elements taken from and put to other places, several arrays as one, and reversals.
#include "thrust_support.h"
#include <numeric>
#include <thrust/gather.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reverse.h>
#include <thrust/scatter.h>
#include <thrust/transform.h>
#include <thrust/tuple.h>

struct Combine {
    __host__ __device__ int operator()(const thrust::tuple<int, int>& pair) const { return 3 * thrust::get<0>(pair) - thrust::get<1>(pair); }
};

int main(int argc, char** argv) {
    size_t count = elements(argc, argv);
    std::vector<int> values = numbers<int>(count, 1, 1000000), map(count), gathered(count), scattered(count), combined(count);
    // A permutation: steps of a length that has no divisor in common with the number of elements.
    size_t step = count / 3 + 1;
    while (std::gcd(step, count) != 1) {
        step++;
    }
    for (size_t i = 0; i < count; i++) {
        map[i] = static_cast<int>(i * step % count);
    }
    for (size_t i = 0; i < count; i++) {
        gathered[i] = values[map[i]];
        scattered[map[i]] = values[i];
        combined[i] = 3 * values[i] - map[i];
    }
    thrust::device_vector<int> in = to_device(values), device_map = to_device(map), out(count);
    thrust::gather(device_map.begin(), device_map.end(), in.begin(), out.begin());
    expect("gather", to_host(out), gathered);
    thrust::copy(thrust::make_permutation_iterator(in.begin(), device_map.begin()),
                 thrust::make_permutation_iterator(in.begin(), device_map.end()), out.begin());
    expect("permuted", to_host(out), gathered);
    thrust::scatter(in.begin(), in.end(), device_map.begin(), out.begin());
    expect("scatter", to_host(out), scattered);
    auto pairs = thrust::make_zip_iterator(thrust::make_tuple(in.begin(), device_map.begin()));
    thrust::transform(pairs, pairs + count, out.begin(), Combine());
    expect("combined", to_host(out), combined);
    thrust::reverse(out.begin(), out.end());
    std::reverse(combined.begin(), combined.end());
    expect("reverse", to_host(out), combined);
    return finish();
}
