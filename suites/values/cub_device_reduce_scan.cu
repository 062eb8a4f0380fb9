// CUB over whole arrays: DeviceReduce (sum, minimum, position of the maximum, by key, segments) and DeviceScan.
#include "support/two_phase.cuh"

#include <algorithm>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>

int main() {
    const int n = 30011;
    auto in = check::integers<int>(n, 421, -10000, 10000);
    check::DeviceBuffer<int> din(in), dout(n), done(1);
    int *input = din, *output = dout, *one = done;
    {
        run_with_scratch_memory([&](void *memory, size_t &bytes) { return cub::DeviceReduce::Sum(memory, bytes, input, one, n); });
        int sum = 0;
        for (int v : in) {
            sum += v;
        }
        check::exact("cub_device_reduce_sum", done.to_host(), std::vector<int>{sum});
    }
    {
        run_with_scratch_memory([&](void *memory, size_t &bytes) { return cub::DeviceReduce::Min(memory, bytes, input, one, n); });
        check::exact("cub_device_reduce_min", done.to_host(), std::vector<int>{*std::min_element(in.begin(), in.end())});
    }
    {
        std::vector<int> starts{0, 5, 5, 1000, 1001, 17000, n};
        check::DeviceBuffer<int> dstarts(starts), dsums(6);
        int *offsets = dstarts, *sums = dsums;
        run_with_scratch_memory([&](void *memory, size_t &bytes) {
            return cub::DeviceSegmentedReduce::Sum(memory, bytes, input, sums, 6, offsets, offsets + 1);
        });
        std::vector<int> expected(6);
        for (int s = 0; s < 6; ++s) {
            for (int i = starts[s]; i < starts[s + 1]; ++i) {
                expected[s] += in[i];
            }
        }
        check::exact("cub_device_segmented_reduce", dsums.to_host(), expected);
    }
    {
        auto keys = check::integers<int>(n, 422, 0, 3);
        check::DeviceBuffer<int> dkeys(keys), dunique(n), dsums(n), dcount(1);
        int *key = dkeys, *unique = dunique, *sums = dsums, *count = dcount;
        run_with_scratch_memory([&](void *memory, size_t &bytes) {
            return cub::DeviceReduce::ReduceByKey(memory, bytes, key, unique, input, sums, count, cuda::std::plus<int>(), n);
        });
        std::vector<int> expected_unique, expected_sums;
        for (int i = 0; i < n; ++i) {
            if (i == 0 || keys[i] != keys[i - 1]) {
                expected_unique.push_back(keys[i]);
                expected_sums.push_back(0);
            }
            expected_sums.back() += in[i];
        }
        auto got_unique = dunique.to_host(), got_sums = dsums.to_host();
        int runs = dcount.to_host()[0];
        got_unique.resize(runs);
        got_sums.resize(runs);
        check::exact("cub_device_reduce_by_key_keys", got_unique, expected_unique);
        check::exact("cub_device_reduce_by_key_sums", got_sums, expected_sums);
    }
    {
        run_with_scratch_memory(
            [&](void *memory, size_t &bytes) { return cub::DeviceScan::InclusiveSum(memory, bytes, input, output, n); });
        std::vector<int> expected(n);
        for (int i = 0; i < n; ++i) {
            expected[i] = in[i] + (i ? expected[i - 1] : 0);
        }
        check::exact("cub_device_scan_inclusive_sum", dout.to_host(), expected);
        run_with_scratch_memory([&](void *memory, size_t &bytes) {
            return cub::DeviceScan::ExclusiveScan(memory, bytes, input, output, cuda::maximum<int>(), -99999, n);
        });
        expected[0] = -99999;
        for (int i = 1; i < n; ++i) {
            expected[i] = std::max(expected[i - 1], in[i - 1]);
        }
        check::exact("cub_device_scan_exclusive_maximum", dout.to_host(), expected);
    }
    return check::finish();
}
