// What the programs of this folder share: inputs, scratch memory, and the line that each result prints:
//
//   NAME count=N checksum=HEX ok        (or WRONG)
//
// Every result is compared with what the host computes. The first argument of a program is the number of elements.
#pragma once
#include "../../programs/check.h"
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

inline size_t elements(int argc, char** argv) {
    long long count = argc > 1 ? std::strtoll(argv[1], nullptr, 10) : 1 << 16;
    if (count <= 0 || argc > 2) {
        std::fprintf(stderr, "usage: %s [ELEMENTS]\n", argv[0]);
        std::exit(2);
    }
    return static_cast<size_t>(count);
}

// The same numbers on every machine, each below the bound.
template <typename T>
std::vector<T> numbers(size_t count, uint32_t seed, uint64_t bound) {
    std::vector<T> values(count);
    uint64_t state = seed * 0x9e3779b97f4a7c15ull + 1;
    for (T& value : values) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        value = static_cast<T>((state >> 24) % bound);
    }
    return values;
}

inline bool& all_right() {
    static bool right = true;
    return right;
}

template <typename T>
void expect(const char* name, const std::vector<T>& found, const std::vector<T>& expected) {
    uint64_t checksum = 0xcbf29ce484222325ull;
    for (const T& value : found) {
        unsigned char bytes[sizeof(T)];
        std::memcpy(bytes, &value, sizeof(T));
        for (unsigned char byte : bytes) {
            checksum = (checksum ^ byte) * 0x100000001b3ull;
        }
    }
    bool is_right = found == expected;
    all_right() = all_right() && is_right;
    std::printf("%s count=%zu checksum=%016llx %s\n", name, found.size(), static_cast<unsigned long long>(checksum),
                is_right ? "ok" : "WRONG");
}

template <typename T>
void expect(const char* name, T found, T expected) {
    expect(name, std::vector<T>{found}, std::vector<T>{expected});
}

inline int finish() {
    return all_right() ? 0 : 1;
}

// Memory of the device, freed with its scope.
template <typename T>
class Device {
  public:
    explicit Device(size_t count) : count_(count) {
        CHECK(cudaMalloc(&data_, std::max<size_t>(count, 1) * sizeof(T)));
        CHECK(cudaMemset(data_, 0, std::max<size_t>(count, 1) * sizeof(T)));
    }
    explicit Device(const std::vector<T>& values) : Device(values.size()) {
        CHECK(cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
    }
    ~Device() { cudaFree(data_); }
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    T* get() { return data_; }
    std::vector<T> first(size_t count) const {
        std::vector<T> values(count);
        CHECK(cudaMemcpy(values.data(), data_, count * sizeof(T), cudaMemcpyDeviceToHost));
        return values;
    }
    std::vector<T> all() const { return first(count_); }

  private:
    T* data_ = nullptr;
    size_t count_;
};

// CUB's algorithms are called twice: the first call says how much scratch memory the second one needs.
template <typename Call>
void with_scratch(Call call) {
    size_t bytes = 0;
    CHECK(call(nullptr, bytes));
    Device<char> memory(bytes);
    CHECK(call(memory.get(), bytes));
    CHECK(cudaDeviceSynchronize());
}
