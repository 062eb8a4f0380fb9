// Generators written by hand: Philox, xorshift, PCG, Mersenne Twister, Monte Carlo pi by counting, Box-Muller.
#include "support/check.cuh"

__host__ __device__ inline uint4 philox_4x32_10(uint4 counter, uint2 key) {
    for (int round = 0; round < 10; ++round) {
        unsigned long long a = static_cast<unsigned long long>(counter.x) * 0xD2511F53u;
        unsigned long long b = static_cast<unsigned long long>(counter.z) * 0xCD9E8D57u;
        uint4 next;
        next.x = static_cast<unsigned>(b >> 32) ^ counter.y ^ key.x;
        next.y = static_cast<unsigned>(b);
        next.z = static_cast<unsigned>(a >> 32) ^ counter.w ^ key.y;
        next.w = static_cast<unsigned>(a);
        counter = next;
        key.x += 0x9E3779B9u;
        key.y += 0xBB67AE85u;
    }
    return counter;
}

__global__ void random_philox(int n, uint4 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = philox_4x32_10(make_uint4(i, i * 7u, 5u, ~static_cast<unsigned>(i)), make_uint2(0xa4093822u, 0x299f31d0u));
    }
}

__host__ __device__ inline unsigned xorshift_after(unsigned state, int steps) {
    for (int s = 0; s < steps; ++s) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
    }
    return state;
}

__global__ void random_xorshift(int n, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = xorshift_after(i + 1u, i % 100);
    }
}

__host__ __device__ inline unsigned pcg_next(unsigned long long &state) {
    unsigned long long old = state;
    state = old * 6364136223846793005ull + 1442695040888963407ull;
    unsigned shifted = static_cast<unsigned>(((old >> 18) ^ old) >> 27), turn = static_cast<unsigned>(old >> 59);
    return (shifted >> turn) | (shifted << ((0u - turn) & 31));
}

// Points inside the quarter circle are counted with integers: no rounding anywhere.
__global__ void random_pi_count(int each, unsigned long long *inside) {
    unsigned long long state = blockIdx.x * blockDim.x + threadIdx.x + 0x853c49e6748fea9bull;
    unsigned hits = 0;
    for (int k = 0; k < each; ++k) {
        unsigned long long x = pcg_next(state) >> 1, y = pcg_next(state) >> 1;
        hits += x * x + y * y < 1ull << 62;
    }
    hits = __reduce_add_sync(0xFFFFFFFFu, hits);
    if (threadIdx.x % 32 == 0) {
        atomicAdd(inside, static_cast<unsigned long long>(hits));
    }
}

// One block turns over the state of the Mersenne Twister in the three pieces that do not depend on each other.
__global__ void random_mersenne_twister(unsigned seed, unsigned *out) {
    __shared__ unsigned state[624];
    if (threadIdx.x == 0) {
        state[0] = seed;
        for (unsigned i = 1; i < 624; ++i) {
            state[i] = 1812433253u * (state[i - 1] ^ (state[i - 1] >> 30)) + i;
        }
    }
    __syncthreads();
    const int pieces[4] = {0, 227, 454, 624};
    for (int p = 0; p < 3; ++p) {
        int i = pieces[p] + threadIdx.x;
        unsigned next = 0;
        if (i < pieces[p + 1]) {
            unsigned y = (state[i] & 0x80000000u) | (state[(i + 1) % 624] & 0x7FFFFFFFu);
            next = state[(i + 397) % 624] ^ (y >> 1) ^ (y & 1 ? 0x9908B0DFu : 0u);
        }
        __syncthreads();
        if (i < pieces[p + 1]) {
            state[i] = next;
        }
        __syncthreads();
    }
    for (int i = threadIdx.x; i < 624; i += blockDim.x) {
        unsigned y = state[i];
        y ^= y >> 11;
        y ^= (y << 7) & 0x9D2C5680u;
        y ^= (y << 15) & 0xEFC60000u;
        out[i] = y ^ (y >> 18);
    }
}

__global__ void random_box_muller(int n, float2 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned long long state = i * 977ull + 11;
        pcg_next(state);
        float u = (pcg_next(state) >> 8) * (1.0f / 16777216.0f) + 1.0f / 33554432.0f;
        float v = (pcg_next(state) >> 8) * (1.0f / 16777216.0f);
        float radius = sqrtf(-2.0f * logf(u)), s, c;
        sincospif(2.0f * v, &s, &c);
        out[i] = make_float2(radius * c, radius * s);
    }
}

int main() {
    const int n = 4000, blocks = (n + 127) / 128;
    {
        // The known answer of Random123 for the digits of pi.
        uint4 known = philox_4x32_10(make_uint4(0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u),
                                     make_uint2(0xa4093822u, 0x299f31d0u));
        if (known.x != 0xd16cfe09u) {
            std::printf("FAILED random_philox reference got %08x expected d16cfe09\n", known.x);
            ++check::failure_count();
        }
        check::DeviceBuffer<uint4> dout(n);
        random_philox<<<blocks, 128>>>(n, dout);
        std::vector<uint4> out(n);
        for (int i = 0; i < n; ++i) {
            out[i] = philox_4x32_10(make_uint4(i, i * 7u, 5u, ~static_cast<unsigned>(i)), make_uint2(0xa4093822u, 0x299f31d0u));
        }
        check::exact("random_philox", dout.to_host(), out);
    }
    {
        check::DeviceBuffer<unsigned> dout(n);
        random_xorshift<<<blocks, 128>>>(n, dout);
        std::vector<unsigned> out(n);
        for (int i = 0; i < n; ++i) {
            out[i] = xorshift_after(i + 1u, i % 100);
        }
        check::exact("random_xorshift", dout.to_host(), out);
    }
    {
        const int each = 60;
        check::DeviceBuffer<unsigned long long> dinside(1);
        random_pi_count<<<16, 128>>>(each, dinside);
        unsigned long long inside = 0;
        for (int i = 0; i < 16 * 128; ++i) {
            unsigned long long state = i + 0x853c49e6748fea9bull;
            for (int k = 0; k < each; ++k) {
                unsigned long long x = pcg_next(state) >> 1, y = pcg_next(state) >> 1;
                inside += x * x + y * y < 1ull << 62;
            }
        }
        check::exact("random_pi_count", dinside.to_host(), std::vector<unsigned long long>{inside});
    }
    {
        check::DeviceBuffer<unsigned> dout(624);
        random_mersenne_twister<<<1, 256>>>(5489u, dout);
        std::vector<unsigned> state(624), out(624);
        state[0] = 5489u;
        for (unsigned i = 1; i < 624; ++i) {
            state[i] = 1812433253u * (state[i - 1] ^ (state[i - 1] >> 30)) + i;
        }
        for (int i = 0; i < 624; ++i) {
            unsigned y = (state[i] & 0x80000000u) | (state[(i + 1) % 624] & 0x7FFFFFFFu);
            state[i] = state[(i + 397) % 624] ^ (y >> 1) ^ (y & 1 ? 0x9908B0DFu : 0u);
        }
        for (int i = 0; i < 624; ++i) {
            unsigned y = state[i];
            y ^= y >> 11;
            y ^= (y << 7) & 0x9D2C5680u;
            y ^= (y << 15) & 0xEFC60000u;
            out[i] = y ^ (y >> 18);
        }
        if (out[0] != 3499211612u) {
            std::printf("FAILED random_mersenne_twister reference got %u expected 3499211612\n", out[0]);
            ++check::failure_count();
        }
        check::exact("random_mersenne_twister", dout.to_host(), out);
    }
    {
        check::DeviceBuffer<float> dout(2 * n);
        random_box_muller<<<blocks, 128>>>(n, reinterpret_cast<float2 *>((float *)dout));
        std::vector<double> out(2 * n);
        for (int i = 0; i < n; ++i) {
            unsigned long long state = i * 977ull + 11;
            pcg_next(state);
            float u = (pcg_next(state) >> 8) * (1.0f / 16777216.0f) + 1.0f / 33554432.0f;
            float v = (pcg_next(state) >> 8) * (1.0f / 16777216.0f);
            double radius = std::sqrt(-2.0 * std::log(static_cast<double>(u)));
            out[2 * i] = radius * std::cos(2 * M_PI * v);
            out[2 * i + 1] = radius * std::sin(2 * M_PI * v);
        }
        check::approximate("random_box_muller", dout.to_host(), out, 1e-5, 1e-5);
    }
    return check::finish();
}
