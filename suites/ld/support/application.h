// What the programs have in common on the host: options, launches that are repeated and timed, and device memory.
#pragma once
#include <cuda_runtime.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <vector>

namespace ld {

struct Options {
    int race = 0;
    bool is_paper = false;
    int launches = 1;
    bool is_timed = false;
    bool has_checksum = false;
};

// Device memory of the program, in the order in which it was had.
struct Piece {
    const void* data;
    std::size_t bytes;
};
inline std::vector<Piece>& pieces() {
    static std::vector<Piece> all;
    return all;
}

// Reads `[--race N] [--size small|paper] [--launches N] [--time] [--checksum]`, with races up to the number that the program has.
inline Options read_options(int count, char** words, int races) {
    Options options;
    bool is_read = true;
    for (int at = 1; at < count && is_read; ++at) {
        const std::string word = words[at];
        if (word == "--time" || word == "--checksum") {
            (word == "--time" ? options.is_timed : options.has_checksum) = true;
            continue;
        }
        const std::string value = ++at < count ? words[at] : "";
        if (word == "--size") {
            options.is_paper = value == "paper";
            is_read = options.is_paper || value == "small";
        } else {
            (word == "--race" ? options.race : options.launches) = std::atoi(value.c_str());
            is_read = !value.empty() && (word == "--race" || word == "--launches");
        }
    }
    if (!is_read || options.race < 0 || options.race > races || options.launches < 1) {
        std::fprintf(stderr, "usage: %s [--race 0..%d] [--size small|paper] [--launches N] [--time] [--checksum]\n", words[0], races);
        std::exit(2);
    }
    return options;
}

inline void check(cudaError_t result) {
    if (result != cudaSuccess) {
        std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(result));
        std::exit(2);
    }
}

// Calls `launch` as often as the options say, with the number of the race as a type: each switch has kernels of its own.
template <int RACES, typename Launch>
void repeat(const char* name, const Options& options, Launch launch) {
    if constexpr (RACES > 0) {
        if (options.race < RACES) {
            return repeat<RACES - 1>(name, options, launch);
        }
    }
    const std::integral_constant<int, RACES> race;
    if (options.is_timed) {
        launch(race);
        check(cudaDeviceSynchronize());
    }
    const auto start = std::chrono::steady_clock::now();
    for (int at = 0; at < options.launches; ++at) {
        launch(race);
    }
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    const std::chrono::duration<double, std::milli> passed = std::chrono::steady_clock::now() - start;
    if (options.is_timed) {
        std::printf("%s: ms per launch %.4f\n", name, passed.count() / options.launches);
    }
}

// Says whether the result is right. A wrong one is a failure only if no race was asked for.
inline int finish(const char* name, const Options& options, bool is_right) {
    std::printf("%s: %s\n", name, is_right ? "right" : "wrong");
    if (options.has_checksum) {
        // Of all memory: also what the program does not look at tells one outcome from another.
        unsigned long long sum = 14695981039346656037ull;
        for (const Piece& piece : pieces()) {
            std::vector<unsigned char> bytes(piece.bytes);
            check(cudaMemcpy(bytes.data(), piece.data, piece.bytes, cudaMemcpyDeviceToHost));
            for (unsigned char byte : bytes) {
                sum = (sum ^ byte) * 1099511628211ull;
            }
        }
        std::printf("%s: checksum %016llx\n", name, sum);
    }
    return is_right || options.race != 0 ? 0 : 1;
}

// Whether a number of the device is that of the host, but for rounding.
inline bool is_near(double found, double expected, double tolerance) {
    return std::fabs(found - expected) <= tolerance * (1 + std::fabs(expected));
}

// Device memory that begins with zeros, or with what the host has.
template <typename T>
class Buffer {
public:
    explicit Buffer(std::size_t count) : count_(count) {
        check(cudaMalloc(&data_, count * sizeof(T)));
        check(cudaMemset(data_, 0, count * sizeof(T)));
        pieces().push_back({data_, count * sizeof(T)});
    }
    explicit Buffer(const std::vector<T>& host) : Buffer(host.size()) {
        check(cudaMemcpy(data_, host.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { cudaFree(data_); }

    T* device() const { return data_; }
    std::vector<T> host() const {
        std::vector<T> copy(count_);
        check(cudaMemcpy(copy.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
        return copy;
    }

private:
    T* data_ = nullptr;
    std::size_t count_;
};

// A sequence of numbers that is the same everywhere: the upper half of a linear congruence.
class Numbers {
public:
    explicit Numbers(unsigned seed) : state_(seed) {}
    unsigned next() {
        state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
        return unsigned(state_ >> 32);
    }
    unsigned below(unsigned limit) { return next() % limit; }
    float between(float low, float high) { return low + (high - low) * float(next() >> 8) / float(1 << 24); }

private:
    unsigned long long state_;
};

}  // namespace ld
