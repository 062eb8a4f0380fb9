// CUB over whole arrays: DeviceSelect (flagged, if, unique), DevicePartition, DeviceHistogram, DeviceRunLengthEncode.
#include "support/two_phase.cuh"

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_partition.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_select.cuh>

struct IsOdd {
    __host__ __device__ bool operator()(int v) const { return (v & 1) != 0; }
};

int main() {
    const int n = 20011;
    auto in = check::integers<int>(n, 441, 0, 5);
    check::DeviceBuffer<int> din(in), dout(n), dcount(1);
    int *input = din, *output = dout, *count = dcount;
    auto selected = [&] {
        auto got = dout.to_host();
        got.resize(dcount.to_host()[0]);
        return got;
    };
    {
        auto flags = check::integers<unsigned char>(n, 442, 0, 1);
        check::DeviceBuffer<unsigned char> dflags(flags);
        unsigned char *flag = dflags;
        run_with_scratch_memory([&](void *memory, size_t &bytes) {
            return cub::DeviceSelect::Flagged(memory, bytes, input, flag, output, count, n);
        });
        std::vector<int> expected;
        for (int i = 0; i < n; ++i) {
            if (flags[i]) {
                expected.push_back(in[i]);
            }
        }
        check::exact("cub_device_select_flagged", selected(), expected);
    }
    {
        run_with_scratch_memory(
            [&](void *memory, size_t &bytes) { return cub::DeviceSelect::If(memory, bytes, input, output, count, n, IsOdd()); });
        std::vector<int> expected, rest;
        for (int v : in) {
            (v & 1 ? expected : rest).push_back(v);
        }
        check::exact("cub_device_select_if", selected(), expected);
        run_with_scratch_memory([&](void *memory, size_t &bytes) {
            return cub::DevicePartition::If(memory, bytes, input, output, count, n, IsOdd());
        });
        // What was not selected stands behind in reversed order.
        expected.insert(expected.end(), rest.rbegin(), rest.rend());
        check::exact("cub_device_partition_if", dout.to_host(), expected);
    }
    {
        run_with_scratch_memory(
            [&](void *memory, size_t &bytes) { return cub::DeviceSelect::Unique(memory, bytes, input, output, count, n); });
        std::vector<int> expected, lengths;
        for (int i = 0; i < n; ++i) {
            if (i == 0 || in[i] != in[i - 1]) {
                expected.push_back(in[i]);
                lengths.push_back(0);
            }
            ++lengths.back();
        }
        check::exact("cub_device_select_unique", selected(), expected);
        check::DeviceBuffer<int> dlengths(n);
        int *length = dlengths;
        run_with_scratch_memory([&](void *memory, size_t &bytes) {
            return cub::DeviceRunLengthEncode::Encode(memory, bytes, input, output, length, count, n);
        });
        auto got_lengths = dlengths.to_host();
        got_lengths.resize(dcount.to_host()[0]);
        check::exact("cub_device_run_length_values", selected(), expected);
        check::exact("cub_device_run_length_lengths", got_lengths, lengths);
    }
    {
        auto samples = check::reals<float>(n, 443, -1, 9);
        check::DeviceBuffer<float> dsamples(samples);
        check::DeviceBuffer<int> dbins(16);
        float *sample = dsamples;
        int *bins = dbins;
        run_with_scratch_memory([&](void *memory, size_t &bytes) {
            return cub::DeviceHistogram::HistogramEven(memory, bytes, sample, bins, 17, 0.0f, 8.0f, n);
        });
        std::vector<int> expected(16);
        for (float v : samples) {
            if (v >= 0.0f && v < 8.0f) {
                ++expected[static_cast<int>(v * 2.0f)];
            }
        }
        check::exact("cub_device_histogram_even", dbins.to_host(), expected);
    }
    return check::finish();
}
