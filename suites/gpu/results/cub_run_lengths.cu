// CUB: runs of equal numbers and their lengths; differences of neighbours.
#include "support.h"
#include <cub/device/device_adjacent_difference.cuh>
#include <cub/device/device_run_length_encode.cuh>

int main(int argc, char** argv) {
    size_t count = elements(argc, argv);
    int n = static_cast<int>(count);
    std::vector<int> values = numbers<int>(count, 61, 3), run_values, run_lengths, long_starts, long_lengths, left(count), right(count);
    std::vector<int> starts;
    for (int i = 0; i < n; i++) {
        if (i == 0 || values[i] != values[i - 1]) {
            run_values.push_back(values[i]);
            run_lengths.push_back(0);
            starts.push_back(i);
        }
        run_lengths.back()++;
        left[i] = i == 0 ? values[i] : values[i] - values[i - 1];
        right[i] = i + 1 == n ? values[i] : values[i] - values[i + 1];
    }
    for (size_t i = 0; i < starts.size(); i++) {
        if (run_lengths[i] > 1) {
            long_starts.push_back(starts[i]);
            long_lengths.push_back(run_lengths[i]);
        }
    }
    Device<int> in(values), unique(count), lengths(count), runs(1), out(count);
    with_scratch([&](void* memory, size_t& bytes) {
        return cub::DeviceRunLengthEncode::Encode(memory, bytes, in.get(), unique.get(), lengths.get(), runs.get(), n);
    });
    size_t found = static_cast<size_t>(runs.all()[0]);
    expect("values_of_runs", unique.first(found), run_values);
    expect("lengths_of_runs", lengths.first(found), run_lengths);
    with_scratch([&](void* memory, size_t& bytes) {
        return cub::DeviceRunLengthEncode::NonTrivialRuns(memory, bytes, in.get(), unique.get(), lengths.get(), runs.get(), n);
    });
    found = static_cast<size_t>(runs.all()[0]);
    expect("starts_of_long_runs", unique.first(found), long_starts);
    expect("lengths_of_long_runs", lengths.first(found), long_lengths);
    with_scratch([&](void* memory, size_t& bytes) {
        return cub::DeviceAdjacentDifference::SubtractLeftCopy(memory, bytes, in.get(), out.get(), n);
    });
    expect("differences_to_the_left", out.all(), left);
    with_scratch([&](void* memory, size_t& bytes) {
        return cub::DeviceAdjacentDifference::SubtractRightCopy(memory, bytes, in.get(), out.get(), n);
    });
    expect("differences_to_the_right", out.all(), right);
    return finish();
}
