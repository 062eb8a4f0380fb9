// Thrust: prefix sums, with a start, of transformed values, in place, and by key.
#include "thrust_support.h"
#include <thrust/functional.h>
#include <thrust/scan.h>
#include <thrust/transform_scan.h>

struct Square {
    __host__ __device__ uint32_t operator()(uint32_t value) const { return value * value; }
};

int main(int argc, char** argv) {
    size_t count = elements(argc, argv);
    std::vector<uint32_t> values = numbers<uint32_t>(count, 1, 1000), keys = numbers<uint32_t>(count, 2, 2);
    std::vector<uint32_t> inclusive(count), exclusive(count), squares(count), by_key(count);
    uint32_t sum = 0, square_sum = 0;
    for (size_t i = 0; i < count; i++) {
        exclusive[i] = 100 + sum;
        inclusive[i] = sum += values[i];
        squares[i] = square_sum += values[i] * values[i];
        by_key[i] = values[i] + (i > 0 && keys[i] == keys[i - 1] ? by_key[i - 1] : 0);
    }
    thrust::device_vector<uint32_t> in = to_device(values), device_keys = to_device(keys), out(count);
    thrust::inclusive_scan(in.begin(), in.end(), out.begin());
    expect("inclusive_scan", to_host(out), inclusive);
    thrust::exclusive_scan(in.begin(), in.end(), out.begin(), 100u);
    expect("exclusive_scan", to_host(out), exclusive);
    thrust::transform_inclusive_scan(in.begin(), in.end(), out.begin(), Square(), thrust::plus<uint32_t>());
    expect("transform_inclusive_scan", to_host(out), squares);
    thrust::inclusive_scan_by_key(device_keys.begin(), device_keys.end(), in.begin(), out.begin());
    expect("inclusive_scan_by_key", to_host(out), by_key);
    thrust::inclusive_scan(in.begin(), in.end(), in.begin());
    expect("in_place", to_host(in), inclusive);
    return finish();
}
