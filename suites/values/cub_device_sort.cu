// CUB over whole arrays: DeviceRadixSort of keys, of pairs over some bits, and of floats in descending order.
#include "support/two_phase.cuh"

#include <algorithm>
#include <cub/device/device_radix_sort.cuh>

int main() {
    const int n = 20011;
    {
        auto keys = check::patterns<unsigned>(n, 431);
        check::DeviceBuffer<unsigned> din(keys), dout(n);
        unsigned *input = din, *output = dout;
        run_with_scratch_memory(
            [&](void *memory, size_t &bytes) { return cub::DeviceRadixSort::SortKeys(memory, bytes, input, output, n); });
        std::sort(keys.begin(), keys.end());
        check::exact("cub_device_sort_keys", dout.to_host(), keys);
    }
    {
        auto keys = check::integers<unsigned short>(n, 432, 0, 999);
        std::vector<int> values(n);
        for (int i = 0; i < n; ++i) {
            values[i] = i;
        }
        check::DeviceBuffer<unsigned short> dkeys(keys), dsorted(n);
        check::DeviceBuffer<int> dvalues(values), dpermuted(n);
        unsigned short *key = dkeys, *sorted = dsorted;
        int *value = dvalues, *permuted = dpermuted;
        run_with_scratch_memory([&](void *memory, size_t &bytes) {
            return cub::DeviceRadixSort::SortPairs(memory, bytes, key, sorted, value, permuted, n, 0, 10);
        });
        std::stable_sort(values.begin(), values.end(), [&](int a, int b) { return keys[a] < keys[b]; });
        std::sort(keys.begin(), keys.end());
        check::exact("cub_device_sort_pairs_keys", dsorted.to_host(), keys);
        check::exact("cub_device_sort_pairs_values", dpermuted.to_host(), values);
    }
    {
        auto keys = check::reals<float>(1000, 433, -1, 1);
        check::DeviceBuffer<float> din(keys), dout(1000);
        float *input = din, *output = dout;
        run_with_scratch_memory([&](void *memory, size_t &bytes) {
            return cub::DeviceRadixSort::SortKeysDescending(memory, bytes, input, output, 1000);
        });
        std::sort(keys.begin(), keys.end(), [](float a, float b) { return a > b; });
        check::exact("cub_device_sort_keys_descending", dout.to_host(), keys);
    }
    return check::finish();
}
