// Thrust: sorts of keys with their values, with 32 and 64 bits.
#include "thrust_support.h"
#include <numeric>
#include <thrust/sequence.h>
#include <thrust/sort.h>

template <typename Key>
static void check(const char* name, const std::vector<Key>& keys) {
    std::vector<uint32_t> order(keys.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return keys[a] < keys[b]; });
    thrust::device_vector<Key> device_keys = to_device(keys);
    thrust::device_vector<uint32_t> places(keys.size());
    thrust::sequence(places.begin(), places.end());
    thrust::stable_sort_by_key(device_keys.begin(), device_keys.end(), places.begin());
    expect(name, to_host(places), order);
}

int main(int argc, char** argv) {
    size_t count = elements(argc, argv);
    check("words", numbers<uint32_t>(count, 1, 3000));
    check("long_words", numbers<uint64_t>(count, 2, uint64_t(1) << 39));
    check("doubles", numbers<double>(count, 3, 1 << 20));
    return finish();
}
