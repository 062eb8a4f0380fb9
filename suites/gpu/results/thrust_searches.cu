// Thrust: many searches at once in a sorted array; where something is found first; a histogram by sorting.
#include "thrust_support.h"
#include <thrust/adjacent_difference.h>
#include <thrust/binary_search.h>
#include <thrust/find.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/mismatch.h>
#include <thrust/sort.h>

int main(int argc, char** argv) {
    size_t count = elements(argc, argv);
    constexpr int BINS = 100;
    std::vector<int> values = numbers<int>(count, 1, BINS), sorted = values, asked = numbers<int>(1000, 2, BINS + 20);
    std::sort(sorted.begin(), sorted.end());
    std::vector<int> lower, upper, is_there, histogram(BINS);
    for (int value : asked) {
        lower.push_back(static_cast<int>(std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin()));
        upper.push_back(static_cast<int>(std::upper_bound(sorted.begin(), sorted.end(), value) - sorted.begin()));
        is_there.push_back(std::binary_search(sorted.begin(), sorted.end(), value));
    }
    for (int value : values) {
        histogram[value]++;
    }
    thrust::device_vector<int> device = to_device(values), questions = to_device(asked), out(asked.size()), bins(BINS);
    auto first = thrust::find(device.begin(), device.end(), 77);
    expect("find", static_cast<long>(first - device.begin()), static_cast<long>(std::find(values.begin(), values.end(), 77) - values.begin()));
    thrust::sort(device.begin(), device.end());
    thrust::lower_bound(device.begin(), device.end(), questions.begin(), questions.end(), out.begin());
    expect("lower_bound", to_host(out), lower);
    thrust::upper_bound(device.begin(), device.end(), questions.begin(), questions.end(), out.begin());
    expect("upper_bound", to_host(out), upper);
    thrust::binary_search(device.begin(), device.end(), questions.begin(), questions.end(), out.begin());
    expect("binary_search", to_host(out), is_there);
    thrust::counting_iterator<int> numbers_from_0(0);
    thrust::upper_bound(device.begin(), device.end(), numbers_from_0, numbers_from_0 + BINS, bins.begin());
    thrust::device_vector<int> counts(BINS);
    thrust::adjacent_difference(bins.begin(), bins.end(), counts.begin());
    expect("histogram", to_host(counts), histogram);
    return finish();
}
