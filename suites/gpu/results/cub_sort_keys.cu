// CUB: radix sorts of keys: 32 and 64 bits, floating point, descending, and by some of their bits.
#include "support.h"
#include <cub/device/device_radix_sort.cuh>
#include <functional>

template <typename T, typename Compare>
static void check(const char* name, const std::vector<T>& keys, Compare before, bool descending, int low, int high) {
    Device<T> in(keys), out(keys.size());
    with_scratch([&](void* memory, size_t& bytes) {
        if (descending) {
            return cub::DeviceRadixSort::SortKeysDescending(memory, bytes, in.get(), out.get(), keys.size(), low, high);
        }
        return cub::DeviceRadixSort::SortKeys(memory, bytes, in.get(), out.get(), keys.size(), low, high);
    });
    std::vector<T> expected = keys;
    std::stable_sort(expected.begin(), expected.end(), before);
    expect(name, out.all(), expected);
}

int main(int argc, char** argv) {
    size_t count = elements(argc, argv);
    check("words", numbers<uint32_t>(count, 1, uint64_t(1) << 32), std::less<uint32_t>(), false, 0, 32);
    check("words_descending", numbers<uint32_t>(count, 2, 1000), std::greater<uint32_t>(), true, 0, 32);
    check("signed", numbers<int>(count, 3, uint64_t(1) << 32), std::less<int>(), false, 0, 32);
    check("bits_8_to_20", numbers<uint32_t>(count, 4, uint64_t(1) << 32),
          [](uint32_t a, uint32_t b) { return ((a >> 8) & 0xfff) < ((b >> 8) & 0xfff); }, false, 8, 20);
    check("long_words", numbers<unsigned long long>(count, 5, uint64_t(1) << 39), std::less<unsigned long long>(), false, 0, 64);
    std::vector<float> floats = numbers<float>(count, 6, 1 << 24);
    for (float& value : floats) {
        value = (value - (1 << 23)) / 64;
    }
    check("floats", floats, std::less<float>(), false, 0, 32);
    return finish();
}
