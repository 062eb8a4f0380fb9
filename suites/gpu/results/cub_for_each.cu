// CUB: a function for each index and each element, and many copies of different lengths in one launch.
#include "support.h"
#include <cub/device/device_for.cuh>
#include <cub/device/device_memcpy.cuh>

struct WriteSquare {
    uint32_t* out;
    __device__ void operator()(uint32_t i) const { out[i] = i * i; }
};

struct AddOne {
    __device__ void operator()(uint32_t& value) const { value += 1; }
};

int main(int argc, char** argv) {
    size_t count = elements(argc, argv);
    std::vector<uint32_t> squares(count), more(count);
    for (size_t i = 0; i < count; i++) {
        squares[i] = static_cast<uint32_t>(i * i);
        more[i] = squares[i] + 1;
    }
    Device<uint32_t> out(count), copied(count);
    CHECK(cub::DeviceFor::Bulk(static_cast<uint32_t>(count), WriteSquare{out.get()}));
    CHECK(cudaDeviceSynchronize());
    expect("squares", out.all(), squares);
    CHECK(cub::DeviceFor::ForEach(out.get(), out.get() + count, AddOne()));
    CHECK(cudaDeviceSynchronize());
    expect("one_more", out.all(), more);

    // Pieces of 0 to 700 elements, from the front to the back and the other way round.
    std::vector<void*> from, to;
    std::vector<uint32_t> sizes, expected(count);
    size_t start = 0;
    for (uint32_t length : numbers<uint32_t>(count, 71, 700)) {
        size_t taken = std::min<size_t>(length, count - start);
        from.push_back(out.get() + start);
        to.push_back(copied.get() + (count - start - taken));
        sizes.push_back(static_cast<uint32_t>(taken * sizeof(uint32_t)));
        std::copy_n(more.begin() + start, taken, expected.begin() + (count - start - taken));
        start += taken;
        if (start == count) {
            break;
        }
    }
    // What is left over after so many pieces of length 0 is one piece more.
    from.push_back(out.get() + start);
    to.push_back(copied.get());
    sizes.push_back(static_cast<uint32_t>((count - start) * sizeof(uint32_t)));
    std::copy(more.begin() + start, more.end(), expected.begin());
    Device<void*> device_from(from), device_to(to);
    Device<uint32_t> device_sizes(sizes);
    with_scratch([&](void* memory, size_t& bytes) {
        return cub::DeviceMemcpy::Batched(memory, bytes, device_from.get(), device_to.get(), device_sizes.get(),
                                          static_cast<uint32_t>(sizes.size()));
    });
    expect("copied", copied.all(), expected);
    return finish();
}
