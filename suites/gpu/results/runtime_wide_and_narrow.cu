// Accesses of 1, 2, 4, 8 and 16 bytes, volatile and read-only ones, and accesses that share a word.
#include "support.h"

__global__ void bytes(const unsigned char* in, unsigned char* out, uint32_t count) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        out[i] = static_cast<unsigned char>(in[i] * 3 + 1);
    }
}

__global__ void halves(const volatile unsigned short* in, unsigned short* out, uint32_t count) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        out[i] = static_cast<unsigned short>(in[i] + 9);
    }
}

__global__ void pairs(const uint2* in, uint2* out, uint32_t count) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        uint2 value = __ldg(&in[i]);
        out[i] = make_uint2(value.y, value.x);
    }
}

__global__ void fours(const uint4* in, uint4* out, uint32_t count) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        uint4 value = __ldcs(&in[i]);
        __stcs(&out[i], make_uint4(value.w, value.z, value.y, value.x));
    }
}

int main(int argc, char** argv) {
    size_t words = elements(argc, argv) / 4 * 4 + 4;
    std::vector<uint32_t> values = numbers<uint32_t>(words, 1, uint64_t(1) << 32), expected(words);
    Device<uint32_t> in(values), out(words);
    auto blocks = [](size_t count) { return static_cast<unsigned>((count + 255) / 256); };
    uint32_t n = static_cast<uint32_t>(words);

    bytes<<<blocks(4 * words), 256>>>(reinterpret_cast<unsigned char*>(in.get()), reinterpret_cast<unsigned char*>(out.get()), 4 * n);
    for (size_t i = 0; i < words; i++) {
        expected[i] = 0;
        for (int shift = 0; shift < 32; shift += 8) {
            expected[i] |= static_cast<uint32_t>(static_cast<unsigned char>((values[i] >> shift & 0xff) * 3 + 1)) << shift;
        }
    }
    expect("bytes", out.all(), expected);

    halves<<<blocks(2 * words), 256>>>(reinterpret_cast<unsigned short*>(in.get()), reinterpret_cast<unsigned short*>(out.get()), 2 * n);
    for (size_t i = 0; i < words; i++) {
        expected[i] = ((values[i] + 9) & 0xffff) | (((values[i] >> 16) + 9) << 16);
    }
    expect("halves", out.all(), expected);

    pairs<<<blocks(words / 2), 256>>>(reinterpret_cast<uint2*>(in.get()), reinterpret_cast<uint2*>(out.get()), n / 2);
    for (size_t i = 0; i < words; i++) {
        expected[i] = values[i ^ 1];
    }
    expect("pairs", out.all(), expected);

    fours<<<blocks(words / 4), 256>>>(reinterpret_cast<uint4*>(in.get()), reinterpret_cast<uint4*>(out.get()), n / 4);
    for (size_t i = 0; i < words; i++) {
        expected[i] = values[i ^ 3];
    }
    expect("fours", out.all(), expected);
    CHECK(cudaGetLastError());
    return finish();
}
