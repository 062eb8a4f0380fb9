// What the benches share: the command line, inputs that host and device both can compute, device memory, the clock, and the
// one line that each of them prints:
//
//   name=NAME ms=MEDIAN launches=NUMBER checksum=HEX ok        (or WRONG, and then exit code 1)
//
// ms is the median over warm repetitions. A repetition is a number of launches that together take a GPU of the H200's
// class at least 5 ms; --size and --launches change that. No bench has a race, and none uses managed memory.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

#define CHECK(call) bench::check_status((call), #call, __FILE__, __LINE__)

namespace bench {

inline void check_status(cudaError_t status, const char* call, const char* file, int line) {
    if (status != cudaSuccess) {
        std::fprintf(stderr, "%s:%d: %s: %s (%s)\n", file, line, call, cudaGetErrorString(status), cudaGetErrorName(status));
        std::exit(2);
    }
}

struct Options {
    size_t size;
    int repeat = 7;
    int launches;
};

inline Options read_options(int argc, char** argv, size_t size, int launches) {
    Options options;
    options.size = size;
    options.launches = launches;
    for (int i = 1; i < argc; i += 2) {
        char* end = nullptr;
        long long value = i + 1 < argc ? std::strtoll(argv[i + 1], &end, 10) : 0;
        bool is_number = end != nullptr && *end == '\0' && value > 0;
        if (is_number && std::strcmp(argv[i], "--size") == 0) {
            options.size = static_cast<size_t>(value);
        } else if (is_number && std::strcmp(argv[i], "--repeat") == 0) {
            options.repeat = static_cast<int>(value);
        } else if (is_number && std::strcmp(argv[i], "--launches") == 0) {
            options.launches = static_cast<int>(value);
        } else {
            std::fprintf(stderr, "usage: %s [--size N] [--repeat N] [--launches N]\n", argv[0]);
            std::exit(2);
        }
    }
    return options;
}

// The input of every bench: word i, the same on host and device, without a pattern that a cache could like.
__host__ __device__ inline uint32_t word(uint32_t i) {
    i ^= i >> 16;
    i *= 0x7feb352du;
    i ^= i >> 15;
    i *= 0x846ca68bu;
    return i ^ (i >> 16);
}

template <typename T, typename Value>
__global__ void fill_kernel(T* data, size_t count, Value value) {
    size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
    for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
        data[i] = value(i);
    }
}

inline unsigned blocks_for(size_t count, unsigned threads) {
    return static_cast<unsigned>((count + threads - 1) / threads);
}

// Memory of the device, freed with its scope.
template <typename T>
class Array {
  public:
    explicit Array(size_t count) : count_(count) { CHECK(cudaMalloc(&data_, std::max<size_t>(count, 1) * sizeof(T))); }
    explicit Array(const std::vector<T>& values) : Array(values.size()) {
        CHECK(cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
    }
    ~Array() { cudaFree(data_); }
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;

    T* get() { return data_; }
    size_t count() const { return count_; }

    // Element i becomes value(i), a functor of the device.
    template <typename Value>
    void fill(Value value) {
        fill_kernel<<<std::min(blocks_for(count_, 256), 4096u), 256>>>(data_, count_, value);
        CHECK(cudaGetLastError());
    }

    std::vector<T> to_host() const {
        std::vector<T> values(count_);
        CHECK(cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
        return values;
    }

    T at(size_t i) const {
        T value;
        CHECK(cudaMemcpy(&value, data_ + i, sizeof value, cudaMemcpyDeviceToHost));
        return value;
    }

    // Every stride-th element from the first one on.
    std::vector<T> every(size_t stride) const {
        std::vector<T> values((count_ + stride - 1) / stride);
        CHECK(cudaMemcpy2D(values.data(), sizeof(T), data_, stride * sizeof(T), sizeof(T), values.size(), cudaMemcpyDeviceToHost));
        return values;
    }

  private:
    T* data_ = nullptr;
    size_t count_;
};

// The distance of samples, of which there are some thousands: odd, so that no power of two hides between them.
inline size_t sample_stride(size_t count) {
    return std::max<size_t>(1, count / 4096) | 1;
}

// The median time of a repetition in milliseconds. The clocks of an idle GPU are low, so that it works for a while first.
template <typename Launch>
double measure(const Options& options, Launch launch) {
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    auto repetition = [&] {
        float ms = 0;
        CHECK(cudaEventRecord(start));
        for (int i = 0; i < options.launches; i++) {
            launch();
        }
        CHECK(cudaEventRecord(stop));
        CHECK(cudaGetLastError());
        CHECK(cudaEventSynchronize(stop));
        CHECK(cudaEventElapsedTime(&ms, start, stop));
        return ms;
    };
    constexpr float WARM_UP_MS = 100;
    constexpr int MOST_WARM_UPS = 20;
    float warm = 0;
    for (int i = 0; i < MOST_WARM_UPS && (i == 0 || (warm < WARM_UP_MS && options.repeat > 1)); i++) {
        warm += repetition();
    }
    std::vector<float> times;
    for (int i = 0; i < options.repeat; i++) {
        times.push_back(repetition());
    }
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    std::sort(times.begin(), times.end());
    size_t middle = times.size() / 2;
    return times.size() % 2 == 1 ? times[middle] : (times[middle - 1] + times[middle]) / 2;
}

// FNV-1a over the bytes of what was compared.
class Checksum {
  public:
    template <typename T>
    void add(const T& value) {
        unsigned char bytes[sizeof(T)];
        std::memcpy(bytes, &value, sizeof(T));
        for (unsigned char byte : bytes) {
            state_ = (state_ ^ byte) * 0x100000001b3ull;
        }
    }
    unsigned long long value() const { return state_; }

  private:
    unsigned long long state_ = 0xcbf29ce484222325ull;
};

// Compares, remembers, and says the first difference on standard error.
class Verdict {
  public:
    template <typename T>
    void same(const char* what, size_t index, T found, T expected) {
        checksum_.add(found);
        if (std::memcmp(&found, &expected, sizeof(T)) != 0) {
            fail(what, index, static_cast<double>(found), static_cast<double>(expected));
        }
    }
    void near(const char* what, size_t index, float found, double expected, double bound) {
        checksum_.add(found);
        double difference = found - expected;
        if (!(difference <= bound && difference >= -bound)) {
            fail(what, index, found, expected);
        }
    }
    // The line of the bench, and its exit code.
    int finish(const char* name, double ms, const Options& options) const {
        std::printf("name=%s ms=%.4f launches=%d checksum=%016llx %s\n", name, ms, options.launches, checksum_.value(),
                    ok_ ? "ok" : "WRONG");
        return ok_ ? 0 : 1;
    }

  private:
    void fail(const char* what, size_t index, double found, double expected) {
        if (ok_) {
            std::fprintf(stderr, "%s %zu is %.9g, not %.9g\n", what, index, found, expected);
        }
        ok_ = false;
    }
    bool ok_ = true;
    Checksum checksum_;
};

// Word i as a number of a few bits, which sums of single precision keep exactly.
struct SmallFloat {
    uint32_t seed;
    uint32_t mask;
    __host__ __device__ float operator()(size_t i) const { return static_cast<float>(word(static_cast<uint32_t>(i) + seed) & mask); }
};

// Word i with its low bits only.
struct MaskedWord {
    uint32_t seed;
    uint32_t mask;
    __host__ __device__ uint32_t operator()(size_t i) const { return word(static_cast<uint32_t>(i) + seed) & mask; }
};

}  // namespace bench
