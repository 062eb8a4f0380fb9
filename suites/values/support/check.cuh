// What the programs share on the host: inputs from a fixed seed, device buffers, comparisons and the printed verdicts.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace check {

inline int &failure_count() {
    static int count = 0;
    return count;
}

inline void require_success(cudaError_t status, const char *what, const char *file, int line) {
    if (status != cudaSuccess) {
        std::printf("FAILED %s at %s:%d: %s\n", what, file, line, cudaGetErrorString(status));
        std::exit(1);
    }
}

#define REQUIRE_SUCCESS(call) check::require_success((call), #call, __FILE__, __LINE__)

// A SplitMix64 generator: the same numbers on every machine.
class Random {
  public:
    explicit Random(uint64_t seed) : state(seed) {}

    uint64_t bits() {
        state += 0x9E3779B97F4A7C15ull;
        uint64_t z = state;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        return z ^ (z >> 31);
    }

    uint64_t below(uint64_t bound) { return (bits() >> 11) % bound; }

    // A multiple of 2^-24 in [0, 1), so that it is exact in single precision too.
    double unit() { return static_cast<double>(bits() >> 40) * (1.0 / 16777216.0); }

  private:
    uint64_t state;
};

// Whole numbers in [low, high], in any arithmetic type.
template <typename T> std::vector<T> integers(size_t count, uint64_t seed, long long low, long long high) {
    Random random(seed);
    std::vector<T> values(count);
    for (T &value : values) {
        value = static_cast<T>(low + static_cast<long long>(random.below(static_cast<uint64_t>(high - low + 1))));
    }
    return values;
}

// Patterns over the whole width of an integer type.
template <typename T> std::vector<T> patterns(size_t count, uint64_t seed) {
    Random random(seed);
    std::vector<T> values(count);
    for (T &value : values) {
        value = static_cast<T>(random.bits());
    }
    return values;
}

// Reals in [low, high).
template <typename T> std::vector<T> reals(size_t count, uint64_t seed, double low, double high) {
    Random random(seed);
    std::vector<T> values(count);
    for (T &value : values) {
        value = static_cast<T>(low + (high - low) * random.unit());
    }
    return values;
}

// Device memory that starts as zeros or as a copy of host values, and turns into a pointer in a launch.
template <typename T> class DeviceBuffer {
  public:
    explicit DeviceBuffer(size_t count) : count(count) {
        REQUIRE_SUCCESS(cudaMalloc(reinterpret_cast<void **>(&memory), bytes()));
        REQUIRE_SUCCESS(cudaMemset(memory, 0, bytes()));
    }

    explicit DeviceBuffer(const std::vector<T> &values) : count(values.size()) {
        REQUIRE_SUCCESS(cudaMalloc(reinterpret_cast<void **>(&memory), bytes()));
        fill(values);
    }

    DeviceBuffer(const DeviceBuffer &) = delete;
    DeviceBuffer &operator=(const DeviceBuffer &) = delete;

    ~DeviceBuffer() { cudaFree(memory); }

    operator T *() const { return memory; }

    void fill(const std::vector<T> &values) {
        REQUIRE_SUCCESS(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    }

    void clear() { REQUIRE_SUCCESS(cudaMemset(memory, 0, bytes())); }

    std::vector<T> to_host() const {
        REQUIRE_SUCCESS(cudaGetLastError());
        REQUIRE_SUCCESS(cudaDeviceSynchronize());
        std::vector<T> values(count);
        REQUIRE_SUCCESS(cudaMemcpy(values.data(), memory, bytes(), cudaMemcpyDeviceToHost));
        return values;
    }

    size_t bytes() const { return count * sizeof(T); }

  private:
    T *memory = nullptr;
    size_t count;
};

inline uint64_t fnv1a(const void *data, size_t bytes) {
    uint64_t hash = 0xCBF29CE484222325ull;
    const unsigned char *byte = static_cast<const unsigned char *>(data);
    for (size_t i = 0; i < bytes; ++i) {
        hash = (hash ^ byte[i]) * 0x100000001B3ull;
    }
    return hash;
}

template <typename T> void print_bytes(const T &value) {
    const unsigned char *byte = reinterpret_cast<const unsigned char *>(&value);
    std::printf("0x");
    for (size_t i = sizeof(T); i-- > 0;) {
        std::printf("%02x", byte[i]);
    }
}

inline void wrong_size(const char *name, size_t got, size_t expected) {
    std::printf("FAILED %s size got %zu expected %zu\n", name, got, expected);
    ++failure_count();
}

// The result must agree in every bit.
template <typename T> void exact(const char *name, const std::vector<T> &got, const std::vector<T> &expected) {
    if (got.size() != expected.size()) {
        wrong_size(name, got.size(), expected.size());
        return;
    }
    for (size_t i = 0; i < got.size(); ++i) {
        if (std::memcmp(&got[i], &expected[i], sizeof(T)) != 0) {
            std::printf("FAILED %s index %zu got ", name, i);
            print_bytes(got[i]);
            std::printf(" expected ");
            print_bytes(expected[i]);
            std::printf("\n");
            ++failure_count();
            return;
        }
    }
    std::printf("ok %s checksum=%016llx\n", name,
                static_cast<unsigned long long>(fnv1a(got.data(), got.size() * sizeof(T))));
}

// The result must lie within `relative * |expected| + absolute`; NaN and infinities must be the same.
template <typename T, typename E>
void approximate(const char *name, const std::vector<T> &got, const std::vector<E> &expected, double relative,
                 double absolute) {
    if (got.size() != expected.size()) {
        wrong_size(name, got.size(), expected.size());
        return;
    }
    for (size_t i = 0; i < got.size(); ++i) {
        double g = static_cast<double>(got[i]);
        double e = static_cast<double>(expected[i]);
        bool agrees = std::fabs(g - e) <= relative * std::fabs(e) + absolute;
        if (std::isnan(e) || std::isinf(e)) {
            agrees = std::isnan(e) ? std::isnan(g) : g == e;
        }
        if (!agrees) {
            std::printf("FAILED %s index %zu got %.17g expected %.17g\n", name, i, g, e);
            ++failure_count();
            return;
        }
    }
    std::printf("ok %s approx\n", name);
}

inline int finish() { return failure_count(); }

} // namespace check
