// Hash functions over many short messages: SHA-256, MD5, Murmur3, CRC-32, SipHash.
#include "support/check.cuh"

#include <string>

// The functions are compiled for both sides; known digests pin them down on the host.
__constant__ unsigned sha_constants_device[64];
static unsigned sha_constants_host[64];

__host__ __device__ inline unsigned rotate_right(unsigned x, int n) { return (x >> n) | (x << (32 - n)); }
__host__ __device__ inline unsigned rotate_left(unsigned x, int n) { return (x << n) | (x >> (32 - n)); }

// One padded block of 64 bytes, for messages of at most 55 bytes.
__host__ __device__ inline void pad_message(const unsigned char *message, int length, bool big_endian, unsigned *words) {
    for (int i = 0; i < 16; ++i) {
        words[i] = 0;
    }
    for (int i = 0; i <= length; ++i) {
        unsigned byte = i < length ? message[i] : 0x80;
        words[i / 4] |= byte << (8 * (big_endian ? 3 - i % 4 : i % 4));
    }
    words[big_endian ? 15 : 14] = static_cast<unsigned>(length) * 8;
}

__host__ __device__ inline void sha256_block(const unsigned *constants, const unsigned *block, unsigned *digest) {
    unsigned w[64];
    unsigned h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    for (int i = 0; i < 16; ++i) {
        w[i] = block[i];
    }
    for (int i = 16; i < 64; ++i) {
        unsigned s0 = rotate_right(w[i - 15], 7) ^ rotate_right(w[i - 15], 18) ^ (w[i - 15] >> 3);
        unsigned s1 = rotate_right(w[i - 2], 17) ^ rotate_right(w[i - 2], 19) ^ (w[i - 2] >> 10);
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    unsigned a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], last = h[7];
    for (int i = 0; i < 64; ++i) {
        unsigned s1 = rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25);
        unsigned t1 = last + s1 + ((e & f) ^ (~e & g)) + constants[i] + w[i];
        unsigned s0 = rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22);
        unsigned t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
        last = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    const unsigned sum[8] = {a, b, c, d, e, f, g, last};
    for (int i = 0; i < 8; ++i) {
        digest[i] = h[i] + sum[i];
    }
}

__global__ void hash_sha256(int count, const unsigned char *messages, unsigned *digests) {
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m < count) {
        unsigned block[16];
        pad_message(messages + m * 56, m % 56, true, block);
        sha256_block(sha_constants_device, block, digests + m * 8);
    }
}

__host__ __device__ inline void md5_block(const unsigned *constants, const unsigned *block, unsigned *digest) {
    const int shifts[16] = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};
    unsigned a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
    for (int i = 0; i < 64; ++i) {
        unsigned f;
        int g;
        switch (i / 16) {
        case 0:
            f = (b & c) | (~b & d);
            g = i;
            break;
        case 1:
            f = (d & b) | (~d & c);
            g = (5 * i + 1) % 16;
            break;
        case 2:
            f = b ^ c ^ d;
            g = (3 * i + 5) % 16;
            break;
        default:
            f = c ^ (b | ~d);
            g = 7 * i % 16;
        }
        unsigned t = d;
        d = c;
        c = b;
        b += rotate_left(a + f + constants[i] + block[g], shifts[i / 16 * 4 + i % 4]);
        a = t;
    }
    digest[0] = a + 0x67452301;
    digest[1] = b + 0xefcdab89;
    digest[2] = c + 0x98badcfe;
    digest[3] = d + 0x10325476;
}

__global__ void hash_md5(int count, const unsigned *constants, const unsigned char *messages, unsigned *digests) {
    __shared__ unsigned table[64];
    if (threadIdx.x < 64) {
        table[threadIdx.x] = constants[threadIdx.x];
    }
    __syncthreads();
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m < count) {
        unsigned block[16];
        pad_message(messages + m * 56, m % 56, false, block);
        md5_block(table, block, digests + m * 4);
    }
}

__host__ __device__ inline unsigned murmur3(const unsigned char *message, int length, unsigned seed) {
    unsigned h = seed;
    for (int i = 0; i + 4 <= length; i += 4) {
        unsigned k = message[i] | message[i + 1] << 8 | message[i + 2] << 16 | static_cast<unsigned>(message[i + 3]) << 24;
        k = rotate_left(k * 0xcc9e2d51u, 15) * 0x1b873593u;
        h = rotate_left(h ^ k, 13) * 5 + 0xe6546b64u;
    }
    unsigned k = 0;
    for (int i = length - 1; i >= length / 4 * 4; --i) {
        k = k << 8 | message[i];
    }
    h ^= rotate_left(k * 0xcc9e2d51u, 15) * 0x1b873593u;
    h ^= static_cast<unsigned>(length);
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    return h ^ (h >> 16);
}

__global__ void hash_murmur3(int count, const unsigned char *messages, unsigned *digests) {
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m < count) {
        digests[m] = murmur3(messages + m * 56, m % 57, 0x9747b28cu);
    }
}

__host__ __device__ inline unsigned crc_entry(unsigned byte) {
    for (int bit = 0; bit < 8; ++bit) {
        byte = byte & 1 ? byte >> 1 ^ 0xEDB88320u : byte >> 1;
    }
    return byte;
}

__global__ void hash_crc32(int count, const unsigned char *messages, unsigned *digests) {
    __shared__ unsigned table[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) {
        table[i] = crc_entry(i);
    }
    __syncthreads();
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m < count) {
        unsigned crc = 0xFFFFFFFFu;
        for (int i = 0; i < m % 57; ++i) {
            crc = crc >> 8 ^ table[(crc ^ messages[m * 56 + i]) & 255];
        }
        digests[m] = ~crc;
    }
}

__host__ __device__ inline void sip_round(unsigned long long *v) {
    auto rotate = [](unsigned long long x, int n) { return x << n | x >> (64 - n); };
    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotate(v[1], 13) ^ v[0];
    v[3] = rotate(v[3], 16) ^ v[2];
    v[0] = rotate(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = rotate(v[1], 17) ^ v[2];
    v[3] = rotate(v[3], 21) ^ v[0];
    v[2] = rotate(v[2], 32);
}

__host__ __device__ inline unsigned long long siphash(const unsigned char *message, int length, unsigned long long k0,
                                                      unsigned long long k1) {
    unsigned long long v[4] = {k0 ^ 0x736f6d6570736575ull, k1 ^ 0x646f72616e646f6dull, k0 ^ 0x6c7967656e657261ull,
                               k1 ^ 0x7465646279746573ull};
    for (int base = 0; base <= length; base += 8) {
        unsigned long long word = 0;
        for (int i = 0; i < 8 && base + i < length; ++i) {
            word |= static_cast<unsigned long long>(message[base + i]) << (8 * i);
        }
        if (base + 8 > length) {
            word |= static_cast<unsigned long long>(length) << 56;
        }
        v[3] ^= word;
        sip_round(v);
        sip_round(v);
        v[0] ^= word;
    }
    v[2] ^= 0xFF;
    for (int i = 0; i < 4; ++i) {
        sip_round(v);
    }
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

__global__ void hash_siphash(int count, const unsigned char *messages, unsigned long long *digests) {
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m < count) {
        digests[m] = siphash(messages + m * 56, m % 57, 0x0706050403020100ull, 0x0f0e0d0c0b0a0908ull);
    }
}

void expect_known(const char *name, unsigned got, unsigned expected) {
    if (got != expected) {
        std::printf("FAILED %s reference got %08x expected %08x\n", name, got, expected);
        ++check::failure_count();
    }
}

int main() {
    const int count = 1200, blocks = (count + 127) / 128;
    auto messages = check::patterns<unsigned char>(count * 56 + 56, 181);
    check::DeviceBuffer<unsigned char> dmessages(messages);
    const unsigned char *abc = reinterpret_cast<const unsigned char *>("abc");
    {
        // The fractional parts of the cube roots of the first 64 primes.
        for (int i = 0, candidate = 2; i < 64; ++candidate) {
            bool prime = true;
            for (int d = 2; d * d <= candidate; ++d) {
                prime = prime && candidate % d != 0;
            }
            if (prime) {
                long double root = std::cbrt(static_cast<long double>(candidate));
                sha_constants_host[i++] =
                    static_cast<unsigned>(static_cast<unsigned long long>(root * 4294967296.0L) & 0xFFFFFFFFull);
            }
        }
        unsigned block[16], digest[8];
        pad_message(abc, 3, true, block);
        sha256_block(sha_constants_host, block, digest);
        expect_known("hash_sha256", digest[0], 0xba7816bf);
        expect_known("hash_sha256", digest[7], 0xf20015ad);
        REQUIRE_SUCCESS(cudaMemcpyToSymbol(sha_constants_device, sha_constants_host, sizeof(sha_constants_host)));
        check::DeviceBuffer<unsigned> ddigests(count * 8);
        hash_sha256<<<blocks, 128>>>(count, dmessages, ddigests);
        std::vector<unsigned> digests(count * 8);
        for (int m = 0; m < count; ++m) {
            pad_message(&messages[m * 56], m % 56, true, block);
            sha256_block(sha_constants_host, block, &digests[m * 8]);
        }
        check::exact("hash_sha256", ddigests.to_host(), digests);
    }
    {
        std::vector<unsigned> constants(64);
        for (int i = 0; i < 64; ++i) {
            constants[i] = static_cast<unsigned>(static_cast<unsigned long long>(std::fabs(std::sin(i + 1.0)) * 4294967296.0));
        }
        unsigned block[16], digest[4];
        pad_message(abc, 3, false, block);
        md5_block(constants.data(), block, digest);
        expect_known("hash_md5", digest[0], 0x98500190);
        expect_known("hash_md5", digest[3], 0x727fe128);
        check::DeviceBuffer<unsigned> dconstants(constants), ddigests(count * 4);
        hash_md5<<<blocks, 128>>>(count, dconstants, dmessages, ddigests);
        std::vector<unsigned> digests(count * 4);
        for (int m = 0; m < count; ++m) {
            pad_message(&messages[m * 56], m % 56, false, block);
            md5_block(constants.data(), block, &digests[m * 4]);
        }
        check::exact("hash_md5", ddigests.to_host(), digests);
    }
    {
        expect_known("hash_murmur3", murmur3(abc, 3, 0), 0xb3dd93fa);
        check::DeviceBuffer<unsigned> ddigests(count);
        hash_murmur3<<<blocks, 128>>>(count, dmessages, ddigests);
        std::vector<unsigned> digests(count);
        for (int m = 0; m < count; ++m) {
            digests[m] = murmur3(&messages[m * 56], m % 57, 0x9747b28cu);
        }
        check::exact("hash_murmur3", ddigests.to_host(), digests);
    }
    {
        auto crc_bitwise = [](const unsigned char *message, int length) {
            unsigned crc = 0xFFFFFFFFu;
            for (int i = 0; i < length; ++i) {
                crc ^= message[i];
                for (int bit = 0; bit < 8; ++bit) {
                    crc = crc & 1 ? crc >> 1 ^ 0xEDB88320u : crc >> 1;
                }
            }
            return ~crc;
        };
        expect_known("hash_crc32", crc_bitwise(abc, 3), 0x352441c2);
        check::DeviceBuffer<unsigned> ddigests(count);
        hash_crc32<<<blocks, 128>>>(count, dmessages, ddigests);
        std::vector<unsigned> digests(count);
        for (int m = 0; m < count; ++m) {
            digests[m] = crc_bitwise(&messages[m * 56], m % 57);
        }
        check::exact("hash_crc32", ddigests.to_host(), digests);
    }
    {
        unsigned char counting[15];
        for (int i = 0; i < 15; ++i) {
            counting[i] = static_cast<unsigned char>(i);
        }
        unsigned long long known = siphash(counting, 15, 0x0706050403020100ull, 0x0f0e0d0c0b0a0908ull);
        expect_known("hash_siphash", static_cast<unsigned>(known >> 32), 0xa129ca61);
        check::DeviceBuffer<unsigned long long> ddigests(count);
        hash_siphash<<<blocks, 128>>>(count, dmessages, ddigests);
        std::vector<unsigned long long> digests(count);
        for (int m = 0; m < count; ++m) {
            digests[m] = siphash(&messages[m * 56], m % 57, 0x0706050403020100ull, 0x0f0e0d0c0b0a0908ull);
        }
        check::exact("hash_siphash", ddigests.to_host(), digests);
    }
    return check::finish();
}
