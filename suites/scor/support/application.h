// What the applications have in common on the host: the command line, device memory, and the line that each prints.
#pragma once
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>

namespace scor {

// How much there is to do: the paper's sizes for a GPU, small ones for the CPU engine.
enum class Size { small, paper };

struct Options {
    int race = 0;
    Size size = Size::paper;
};

// Reads `--race N`, with N up to the number of switches that the program has, and `--size small|paper`.
inline Options read_options(int count, char** words, int races) {
    Options options;
    for (int at = 1; at < count; ++at) {
        const char* value = at + 1 < count ? words[at + 1] : "";
        if (std::strcmp(words[at], "--race") == 0) {
            options.race = std::atoi(value);
            ++at;
        } else if (std::strcmp(words[at], "--size") == 0 && std::strcmp(value, "small") == 0) {
            options.size = Size::small;
            ++at;
        } else if (std::strcmp(words[at], "--size") == 0 && std::strcmp(value, "paper") == 0) {
            ++at;
        } else {
            std::fprintf(stderr, "usage: %s [--race N] [--size small|paper]\n", words[0]);
            std::exit(2);
        }
    }
    if (options.race < 0 || options.race > races) {
        std::fprintf(stderr, "%s has races 1 to %d\n", words[0], races);
        std::exit(2);
    }
    return options;
}

// Calls `run` with the number of a race as a type, so that every switch has kernels of its own.
template <int RACES, typename Run>
void with_race(int race, Run run) {
    if (race == RACES) {
        run(std::integral_constant<int, RACES>());
    } else if constexpr (RACES > 0) {
        with_race<RACES - 1>(race, run);
    }
}

inline void check(cudaError_t result) {
    if (result != cudaSuccess) {
        std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(result));
        std::exit(2);
    }
}

// Device memory that begins with zeros, or with what the host has.
template <typename T>
class Buffer {
public:
    explicit Buffer(std::size_t count) : count_(count) {
        check(cudaMalloc(&data_, count * sizeof(T)));
        clear();
    }
    explicit Buffer(const std::vector<T>& host) : Buffer(host.size()) {
        check(cudaMemcpy(data_, host.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { cudaFree(data_); }

    T* device() const { return data_; }
    void clear() { check(cudaMemset(data_, 0, count_ * sizeof(T))); }
    std::vector<T> host() const {
        std::vector<T> copy(count_);
        check(cudaMemcpy(copy.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
        return copy;
    }

private:
    T* data_ = nullptr;
    std::size_t count_;
};

// A sequence of numbers that is the same everywhere.
class Numbers {
public:
    explicit Numbers(unsigned seed) : state_(seed * 2654435761u + 1u) {}
    unsigned next() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 17;
        state_ ^= state_ << 5;
        return state_;
    }
    unsigned below(unsigned limit) { return next() % limit; }

private:
    unsigned state_;
};

// Says whether the result is right. A wrong one is a failure only if no race was asked for.
inline int finish(const char* name, const Options& options, bool is_right) {
    check(cudaDeviceSynchronize());
    std::printf("%s, race %d: the result is %s\n", name, options.race, is_right ? "right" : "wrong");
    return is_right || options.race != 0 ? 0 : 1;
}

}  // namespace scor
