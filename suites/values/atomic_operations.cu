// Atomics of every type: int, unsigned, 64 bits, float, double, half2, bfloat162, and compare-and-swap of 16 to 128 bits.
#include "support/check.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void atomics_on_int(int n, const int *in, int *cells) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int v = in[i], slot = i % 16;
        atomicAdd(&cells[slot], v);
        atomicSub(&cells[16 + slot], v);
        atomicMin(&cells[32 + slot], v);
        atomicMax(&cells[48 + slot], v);
        atomicAnd(&cells[64 + slot], v);
        atomicOr(&cells[80 + slot], v);
        atomicXor(&cells[96 + slot], v);
    }
}

__global__ void atomics_on_unsigned(int n, const unsigned *in, unsigned *cells) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int slot = i % 16;
        atomicMin(&cells[slot], in[i]);
        atomicMax(&cells[16 + slot], in[i]);
        atomicInc(&cells[32 + slot], 12u);
        atomicDec(&cells[48 + slot], 9u);
        unsigned old = atomicExch(&cells[64 + slot], in[i]);
        atomicAdd(&cells[80 + slot], old);
    }
}

__global__ void atomics_on_64_bits(int n, const unsigned long long *in, unsigned long long *cells) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned long long v = in[i];
        int slot = i % 8;
        atomicAdd(&cells[slot], v);
        atomicMin(&cells[8 + slot], v);
        atomicMax(&cells[16 + slot], v);
        atomicAnd(&cells[24 + slot], v);
        atomicOr(&cells[32 + slot], v);
        atomicXor(&cells[40 + slot], v);
        atomicMin(reinterpret_cast<long long *>(&cells[48 + slot]), static_cast<long long>(v));
        atomicMax(reinterpret_cast<long long *>(&cells[56 + slot]), static_cast<long long>(v));
    }
}

// Whole numbers: the sums are exact in any order.
__global__ void atomics_on_floats(int n, const int *in, float *single, double *twice, __half2 *halves,
                                  __nv_bfloat162 *brains) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int slot = i % 16;
        float v = static_cast<float>(in[i]);
        atomicAdd(&single[slot], v);
        atomicAdd(&twice[slot], v * 0.5);
        float small = static_cast<float>(in[i] % 2);
        if (i < 800) {
            atomicAdd(&halves[slot], __floats2half2_rn(small, 1.0f));
            atomicAdd(&brains[slot], __floats2bfloat162_rn(1.0f, small));
        }
    }
}

// Products by compare-and-swap loops over 16, 32 and 64 bits: multiplication of odd numbers commutes.
__global__ void compare_and_swap_loops(int n, const unsigned *in, unsigned short *narrow, unsigned *middle,
                                       unsigned long long *wide, float *largest) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    unsigned factor = in[i] | 1u;
    int slot = i % 32;
    unsigned short assumed16, old16 = 1;
    do {
        assumed16 = old16;
        old16 = atomicCAS(&narrow[slot], assumed16, static_cast<unsigned short>(assumed16 * factor));
    } while (old16 != assumed16);
    unsigned assumed32, old32 = 1;
    do {
        assumed32 = old32;
        old32 = atomicCAS(&middle[slot], assumed32, assumed32 * factor);
    } while (old32 != assumed32);
    unsigned long long assumed64, old64 = 1;
    do {
        assumed64 = old64;
        old64 = atomicCAS(&wide[slot], assumed64, assumed64 * factor);
    } while (old64 != assumed64);
    float value = static_cast<float>(in[i] % 100000) - 50000.0f;
    int *place = reinterpret_cast<int *>(&largest[slot]);
    int old = __float_as_int(-1.0e9f);
    while (__int_as_float(old) < value) {
        int found = atomicCAS(place, old, __float_as_int(value));
        if (found == old) {
            break;
        }
        old = found;
    }
}

struct __align__(16) Pair {
    unsigned long long count, sum;
};

// Both halves of 128 bits change together.
__global__ void compare_and_swap_128_bits(int n, const unsigned *in, Pair *pairs) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        Pair assumed, old = {0, 0};
        do {
            assumed = old;
            old = atomicCAS(&pairs[i % 8], assumed, Pair{assumed.count + 1, assumed.sum + in[i]});
        } while (old.count != assumed.count || old.sum != assumed.sum);
    }
}

// What the operations return: every ticket is drawn once.
__global__ void tickets_drawn_once(int n, unsigned *counter, unsigned char *drawn) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        drawn[atomicAdd(counter, 1u)] = 1;
    }
}

int main() {
    const int n = 2000, blocks = (n + 127) / 128;
    auto in = check::patterns<unsigned>(n, 351);
    check::DeviceBuffer<unsigned> din(in);
    {
        std::vector<int> cells(112);
        for (int s = 0; s < 16; ++s) {
            cells[32 + s] = 0x7FFFFFFF;
            cells[48 + s] = -0x7FFFFFFF;
            cells[64 + s] = -1;
        }
        check::DeviceBuffer<int> dcells(cells);
        atomics_on_int<<<blocks, 128>>>(n, (int *)(unsigned *)din, dcells);
        for (int i = 0; i < n; ++i) {
            int v = static_cast<int>(in[i]), s = i % 16;
            cells[s] = static_cast<int>(static_cast<unsigned>(cells[s]) + in[i]);
            cells[16 + s] = static_cast<int>(static_cast<unsigned>(cells[16 + s]) - in[i]);
            cells[32 + s] = v < cells[32 + s] ? v : cells[32 + s];
            cells[48 + s] = v > cells[48 + s] ? v : cells[48 + s];
            cells[64 + s] &= v;
            cells[80 + s] |= v;
            cells[96 + s] ^= v;
        }
        check::exact("atomics_on_int", dcells.to_host(), cells);
    }
    {
        std::vector<unsigned> cells(96);
        for (int s = 0; s < 16; ++s) {
            cells[s] = 0xFFFFFFFFu;
            cells[48 + s] = 100;
        }
        check::DeviceBuffer<unsigned> dcells(cells);
        atomics_on_unsigned<<<blocks, 128>>>(n, din, dcells);
        for (int i = 0; i < n; ++i) {
            int s = i % 16;
            cells[s] = in[i] < cells[s] ? in[i] : cells[s];
            cells[16 + s] = in[i] > cells[16 + s] ? in[i] : cells[16 + s];
            cells[32 + s] = cells[32 + s] >= 12 ? 0 : cells[32 + s] + 1;
            cells[48 + s] = cells[48 + s] == 0 || cells[48 + s] > 9 ? 9 : cells[48 + s] - 1;
            cells[80 + s] += in[i];
        }
        // Whichever value was exchanged last stays in its cell; all others went into the sum.
        auto got = dcells.to_host();
        for (int s = 0; s < 16; ++s) {
            got[80 + s] += got[64 + s];
            got[64 + s] = 0;
        }
        check::exact("atomics_on_unsigned", got, cells);
    }
    {
        auto wide = check::patterns<unsigned long long>(n, 352);
        std::vector<unsigned long long> cells(64);
        for (int s = 0; s < 8; ++s) {
            cells[8 + s] = cells[24 + s] = ~0ull;
        }
        check::DeviceBuffer<unsigned long long> dwide(wide), dcells(cells);
        atomics_on_64_bits<<<blocks, 128>>>(n, dwide, dcells);
        for (int i = 0; i < n; ++i) {
            unsigned long long v = wide[i];
            int s = i % 8;
            auto less = [](unsigned long long x, unsigned long long y) { return static_cast<long long>(x) < static_cast<long long>(y); };
            cells[s] += v;
            cells[8 + s] = v < cells[8 + s] ? v : cells[8 + s];
            cells[16 + s] = v > cells[16 + s] ? v : cells[16 + s];
            cells[24 + s] &= v;
            cells[32 + s] |= v;
            cells[40 + s] ^= v;
            cells[48 + s] = less(v, cells[48 + s]) ? v : cells[48 + s];
            cells[56 + s] = less(cells[56 + s], v) ? v : cells[56 + s];
        }
        check::exact("atomics_on_64_bits", dcells.to_host(), cells);
    }
    {
        auto small = check::integers<int>(n, 353, 0, 1000);
        check::DeviceBuffer<int> dsmall(small);
        check::DeviceBuffer<float> dsingle(16);
        check::DeviceBuffer<double> dtwice(16);
        check::DeviceBuffer<__half2> dhalves(16);
        check::DeviceBuffer<__nv_bfloat162> dbrains(16);
        atomics_on_floats<<<blocks, 128>>>(n, dsmall, dsingle, dtwice, dhalves, dbrains);
        std::vector<float> single(16), halves(32), brains(32), got_halves, got_brains;
        std::vector<double> twice(16);
        for (int i = 0; i < n; ++i) {
            single[i % 16] += static_cast<float>(small[i]);
            twice[i % 16] += small[i] * 0.5;
            if (i < 800) {
                halves[i % 16 * 2] += static_cast<float>(small[i] % 2);
                halves[i % 16 * 2 + 1] += 1;
                brains[i % 16 * 2] += 1;
                brains[i % 16 * 2 + 1] += static_cast<float>(small[i] % 2);
            }
        }
        for (auto h : dhalves.to_host()) {
            got_halves.insert(got_halves.end(), {__half2float(h.x), __half2float(h.y)});
        }
        for (auto b : dbrains.to_host()) {
            got_brains.insert(got_brains.end(), {__bfloat162float(b.x), __bfloat162float(b.y)});
        }
        check::exact("atomics_on_floats_single", dsingle.to_host(), single);
        check::exact("atomics_on_floats_double", dtwice.to_host(), twice);
        check::exact("atomics_on_floats_half2", got_halves, halves);
        check::exact("atomics_on_floats_bfloat162", got_brains, brains);
    }
    {
        check::DeviceBuffer<unsigned short> dnarrow(std::vector<unsigned short>(32, 1));
        check::DeviceBuffer<unsigned> dmiddle(std::vector<unsigned>(32, 1));
        check::DeviceBuffer<unsigned long long> dwide(std::vector<unsigned long long>(32, 1));
        check::DeviceBuffer<float> dlargest(std::vector<float>(32, -1.0e9f));
        compare_and_swap_loops<<<blocks, 128>>>(n, din, dnarrow, dmiddle, dwide, dlargest);
        std::vector<unsigned short> narrow(32, 1);
        std::vector<unsigned> middle(32, 1);
        std::vector<unsigned long long> wide(32, 1);
        std::vector<float> largest(32, -1.0e9f);
        for (int i = 0; i < n; ++i) {
            unsigned factor = in[i] | 1u;
            narrow[i % 32] = static_cast<unsigned short>(narrow[i % 32] * factor);
            middle[i % 32] *= factor;
            wide[i % 32] *= factor;
            float value = static_cast<float>(in[i] % 100000) - 50000.0f;
            largest[i % 32] = value > largest[i % 32] ? value : largest[i % 32];
        }
        check::exact("compare_and_swap_loops_16", dnarrow.to_host(), narrow);
        check::exact("compare_and_swap_loops_32", dmiddle.to_host(), middle);
        check::exact("compare_and_swap_loops_64", dwide.to_host(), wide);
        check::exact("compare_and_swap_loops_float", dlargest.to_host(), largest);
    }
    {
        check::DeviceBuffer<Pair> dpairs(8);
        compare_and_swap_128_bits<<<blocks, 128>>>(n, din, dpairs);
        std::vector<Pair> pairs(8, Pair{0, 0});
        for (int i = 0; i < n; ++i) {
            ++pairs[i % 8].count;
            pairs[i % 8].sum += in[i];
        }
        check::exact("compare_and_swap_128_bits", dpairs.to_host(), pairs);
    }
    {
        check::DeviceBuffer<unsigned> counter(1);
        check::DeviceBuffer<unsigned char> drawn(n);
        tickets_drawn_once<<<blocks, 128>>>(n, counter, drawn);
        check::exact("tickets_drawn_once", drawn.to_host(), std::vector<unsigned char>(n, 1));
    }
    return check::finish();
}
