// Thrust: sums and maxima of runs of equal keys.
#include "thrust_support.h"
#include <thrust/functional.h>
#include <thrust/reduce.h>

int main(int argc, char** argv) {
    size_t count = elements(argc, argv);
    std::vector<int> keys = numbers<int>(count, 1, 3), values = numbers<int>(count, 2, 10000);
    std::vector<int> run_keys, sums, largest;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || keys[i] != keys[i - 1]) {
            run_keys.push_back(keys[i]);
            sums.push_back(0);
            largest.push_back(0);
        }
        sums.back() += values[i];
        largest.back() = std::max(largest.back(), values[i]);
    }
    thrust::device_vector<int> device_keys = to_device(keys), device_values = to_device(values), out_keys(count), out(count);
    auto ends = thrust::reduce_by_key(device_keys.begin(), device_keys.end(), device_values.begin(), out_keys.begin(), out.begin());
    size_t runs = ends.first - out_keys.begin();
    expect("keys", to_host(out_keys, runs), run_keys);
    expect("sums", to_host(out, runs), sums);
    thrust::reduce_by_key(device_keys.begin(), device_keys.end(), device_values.begin(), out_keys.begin(), out.begin(),
                          thrust::equal_to<int>(), thrust::maximum<int>());
    expect("maxima", to_host(out, runs), largest);
    return finish();
}
