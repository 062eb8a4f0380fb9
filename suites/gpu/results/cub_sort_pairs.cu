// CUB: radix sorts of pairs, from one array into another and through a double buffer.
#include "support.h"
#include <cub/device/device_radix_sort.cuh>
#include <numeric>

int main(int argc, char** argv) {
    size_t count = elements(argc, argv);
    std::vector<uint32_t> keys = numbers<uint32_t>(count, 1, 5000), places(count);
    std::iota(places.begin(), places.end(), 0u);
    std::vector<uint32_t> order = places;
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return keys[a] < keys[b]; });
    std::vector<uint32_t> sorted(count);
    for (size_t i = 0; i < count; i++) {
        sorted[i] = keys[order[i]];
    }
    Device<uint32_t> keys_in(keys), keys_out(count), places_in(places), places_out(count);
    with_scratch([&](void* memory, size_t& bytes) {
        return cub::DeviceRadixSort::SortPairs(memory, bytes, keys_in.get(), keys_out.get(), places_in.get(), places_out.get(), count);
    });
    expect("keys", keys_out.all(), sorted);
    expect("values", places_out.all(), order);

    cub::DoubleBuffer<uint32_t> both_keys(keys_in.get(), keys_out.get()), both_places(places_in.get(), places_out.get());
    with_scratch([&](void* memory, size_t& bytes) { return cub::DeviceRadixSort::SortPairs(memory, bytes, both_keys, both_places, count); });
    std::vector<uint32_t> found(count);
    CHECK(cudaMemcpy(found.data(), both_places.Current(), count * sizeof(uint32_t), cudaMemcpyDeviceToHost));
    expect("values_of_double_buffer", found, order);
    return finish();
}
