// Integer arithmetic, comparison and shifts at every width, signed and unsigned.
#include "support/launch.cuh"

template <typename T> __device__ T every_operator(T a, T b, int shift)
{
    T result = static_cast<T>(a + b);
    result = static_cast<T>(result ^ static_cast<T>(a - b));
    result = static_cast<T>(result + static_cast<T>(a * b));
    if (b != 0) {
        result = static_cast<T>(result + static_cast<T>(a / b));
        result = static_cast<T>(result - static_cast<T>(a % b));
    }
    result = static_cast<T>(result | (a & ~b));
    result = static_cast<T>(result + static_cast<T>(a << shift));
    result = static_cast<T>(result - static_cast<T>(a >> shift));
    result = static_cast<T>(result + (a < b ? a : b));
    result = static_cast<T>(result * (a >= b ? a : static_cast<T>(-b)));
    result = static_cast<T>(result + (a == b) + (a != b) + (a > b) + (a <= b));
    return result;
}

template <typename T> __global__ void arithmetic(T *out, const T *in, int shift)
{
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    out[index] = every_operator(in[2 * index], in[2 * index + 1], shift);
}

template __global__ void arithmetic<int8_t>(int8_t *, const int8_t *, int);
template __global__ void arithmetic<uint8_t>(uint8_t *, const uint8_t *, int);
template __global__ void arithmetic<int16_t>(int16_t *, const int16_t *, int);
template __global__ void arithmetic<uint16_t>(uint16_t *, const uint16_t *, int);
template __global__ void arithmetic<int32_t>(int32_t *, const int32_t *, int);
template __global__ void arithmetic<uint32_t>(uint32_t *, const uint32_t *, int);
template __global__ void arithmetic<int64_t>(int64_t *, const int64_t *, int);
template __global__ void arithmetic<uint64_t>(uint64_t *, const uint64_t *, int);

template <typename To, typename From> __global__ void convert(To *out, const From *in)
{
    out[threadIdx.x] = static_cast<To>(in[threadIdx.x]);
}

#define CONVERT_TO(to)                                                                             \
    template __global__ void convert<to, int8_t>(to *, const int8_t *);                            \
    template __global__ void convert<to, uint8_t>(to *, const uint8_t *);                          \
    template __global__ void convert<to, int16_t>(to *, const int16_t *);                          \
    template __global__ void convert<to, uint16_t>(to *, const uint16_t *);                        \
    template __global__ void convert<to, int32_t>(to *, const int32_t *);                          \
    template __global__ void convert<to, uint32_t>(to *, const uint32_t *);                        \
    template __global__ void convert<to, int64_t>(to *, const int64_t *);                          \
    template __global__ void convert<to, uint64_t>(to *, const uint64_t *);

CONVERT_TO(int8_t)
CONVERT_TO(uint8_t)
CONVERT_TO(int16_t)
CONVERT_TO(uint16_t)
CONVERT_TO(int32_t)
CONVERT_TO(uint32_t)
CONVERT_TO(int64_t)
CONVERT_TO(uint64_t)

// Division and remainder by constants become multiplications with magic numbers.
__global__ void divide_by_constants(int *out, const int *in, unsigned long long *wide)
{
    const int value = in[threadIdx.x];
    out[threadIdx.x] = value / 7 + value % 10 + value / -16 + static_cast<unsigned>(value) / 641u;
    wide[threadIdx.x] = wide[threadIdx.x] / 1000000007ull + wide[threadIdx.x] % 3600ull;
}

__global__ void minimum_maximum_absolute(int *out, long long *wide, short *narrow)
{
    const int i = threadIdx.x;
    out[i] = min(out[i], out[i + 1]) + max(out[i], 5) + abs(out[i]);
    out[i] += static_cast<int>(min(static_cast<unsigned>(out[i]), 77u) + umax(3u, static_cast<unsigned>(i)));
    wide[i] = llmin(wide[i], wide[i + 1]) + llmax(wide[i], 9ll) + llabs(wide[i]);
    wide[i] += static_cast<long long>(ullmin(static_cast<unsigned long long>(wide[i]), 12ull));
    narrow[i] = static_cast<short>(min(static_cast<int>(narrow[i]), 100));
}

#ifndef __CUDACC_RTC__
int main()
{
    int *in = corpus::device_array<int>(128);
    int *out = corpus::device_array<int>(128);
    arithmetic<int><<<1, 32>>>(out, in, 3);
    // Zero against zero: only the two true comparisons count.
    return corpus::finish("integer_widths", corpus::read_back(out) == 2);
}
#endif
