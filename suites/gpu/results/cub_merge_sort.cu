// CUB: merge sorts with an order of our own.
#include "support.h"
#include <cub/device/device_merge_sort.cuh>
#include <numeric>

struct ByLastDigits {
    __host__ __device__ bool operator()(uint32_t a, uint32_t b) const { return a % 1000 < b % 1000; }
};

int main(int argc, char** argv) {
    size_t count = elements(argc, argv);
    std::vector<uint32_t> keys = numbers<uint32_t>(count, 7, 1000000), places(count);
    std::iota(places.begin(), places.end(), 0u);
    std::vector<uint32_t> sorted = keys, order = places;
    std::stable_sort(sorted.begin(), sorted.end(), ByLastDigits());
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return ByLastDigits()(keys[a], keys[b]); });
    Device<uint32_t> in(keys), out(count), values(places);
    with_scratch([&](void* memory, size_t& bytes) {
        return cub::DeviceMergeSort::StableSortKeys(memory, bytes, in.get(), count, ByLastDigits());
    });
    expect("keys", in.all(), sorted);
    Device<uint32_t> again(keys);
    with_scratch([&](void* memory, size_t& bytes) {
        return cub::DeviceMergeSort::StableSortPairs(memory, bytes, again.get(), values.get(), count, ByLastDigits());
    });
    expect("values", values.all(), order);
    return finish();
}
