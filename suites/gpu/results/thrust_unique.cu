// Thrust: runs of equal numbers are left with one of them, alone and with values; adjacent differences.
#include "thrust_support.h"
#include <thrust/adjacent_difference.h>
#include <thrust/unique.h>

int main(int argc, char** argv) {
    size_t count = elements(argc, argv);
    std::vector<int> keys = numbers<int>(count, 1, 4), values = numbers<int>(count, 2, 100000), different, first_values, differences(count);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || keys[i] != keys[i - 1]) {
            different.push_back(keys[i]);
            first_values.push_back(values[i]);
        }
        differences[i] = i == 0 ? values[0] : values[i] - values[i - 1];
    }
    thrust::device_vector<int> device_keys = to_device(keys), device_values = to_device(values), out_keys(count), out(count);
    auto end = thrust::unique_copy(device_keys.begin(), device_keys.end(), out_keys.begin());
    expect("unique_copy", to_host(out_keys, end - out_keys.begin()), different);
    auto ends =
        thrust::unique_by_key_copy(device_keys.begin(), device_keys.end(), device_values.begin(), out_keys.begin(), out.begin());
    expect("unique_by_key_copy", to_host(out, ends.second - out.begin()), first_values);
    thrust::adjacent_difference(device_values.begin(), device_values.end(), out.begin());
    expect("adjacent_difference", to_host(out), differences);
    auto new_end = thrust::unique(device_keys.begin(), device_keys.end());
    expect("unique", to_host(device_keys, new_end - device_keys.begin()), different);
    return finish();
}
