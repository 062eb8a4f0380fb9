// Thrust: sorted arrays are merged, united, cut and subtracted.
#include "thrust_support.h"
#include <iterator>
#include <thrust/merge.h>
#include <thrust/set_operations.h>

int main(int argc, char** argv) {
    size_t count = elements(argc, argv);
    std::vector<int> a = numbers<int>(count, 1, 2 * count), b = numbers<int>(count / 2 + 1, 2, 2 * count), expected;
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    thrust::device_vector<int> device_a = to_device(a), device_b = to_device(b), out(a.size() + b.size());
    auto compare = [&](const char* name, auto end) { expect(name, to_host(out, end - out.begin()), expected); };
    std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected));
    compare("merge", thrust::merge(device_a.begin(), device_a.end(), device_b.begin(), device_b.end(), out.begin()));
    expected.clear();
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected));
    compare("union", thrust::set_union(device_a.begin(), device_a.end(), device_b.begin(), device_b.end(), out.begin()));
    expected.clear();
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected));
    compare("intersection", thrust::set_intersection(device_a.begin(), device_a.end(), device_b.begin(), device_b.end(), out.begin()));
    expected.clear();
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected));
    compare("difference", thrust::set_difference(device_a.begin(), device_a.end(), device_b.begin(), device_b.end(), out.begin()));
    return finish();
}
