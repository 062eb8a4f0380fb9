// Bits of integers: counts, reversal, permutes, funnel shifts, dot products of bytes, fields, lop3, averages.
#include "support/check.cuh"

__global__ void count_and_find_bits(int n, const unsigned *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned x = in[i] >> (i % 33 == 32 ? 31 : i % 33);
        unsigned long long wide = (static_cast<unsigned long long>(x) << 32 | in[i]) >> (i % 64);
        out[6 * i] = __popc(x);
        out[6 * i + 1] = __clz(static_cast<int>(x));
        out[6 * i + 2] = __ffs(static_cast<int>(x));
        out[6 * i + 3] = __popcll(wide);
        out[6 * i + 4] = __clzll(static_cast<long long>(wide));
        out[6 * i + 5] = __ffsll(static_cast<long long>(wide));
    }
}

__global__ void reverse_and_permute(int n, const unsigned *a, const unsigned *b, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned long long reversed = __brevll(static_cast<unsigned long long>(a[i]) << 32 | b[i]);
        out[4 * i] = __brev(a[i]);
        out[4 * i + 1] = static_cast<unsigned>(reversed);
        out[4 * i + 2] = static_cast<unsigned>(reversed >> 32);
        out[4 * i + 3] = __byte_perm(a[i], b[i], (a[i] ^ b[i]) & 0x7777);
    }
}

__global__ void funnel_shifts(int n, const unsigned *a, const unsigned *b, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned shift = i % 70;
        out[4 * i] = __funnelshift_l(a[i], b[i], shift);
        out[4 * i + 1] = __funnelshift_r(a[i], b[i], shift);
        out[4 * i + 2] = __funnelshift_lc(a[i], b[i], shift);
        out[4 * i + 3] = __funnelshift_rc(a[i], b[i], shift);
    }
}

__global__ void byte_dot_products(int n, const unsigned *a, const unsigned *b, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[4 * i] = __dp4a(static_cast<int>(a[i]), static_cast<int>(b[i]), i);
        out[4 * i + 1] = static_cast<int>(__dp4a(a[i], b[i], static_cast<unsigned>(i)));
        out[4 * i + 2] = __dp2a_lo(static_cast<int>(a[i]), static_cast<int>(b[i]), -i);
        out[4 * i + 3] = static_cast<int>(__dp2a_hi(a[i], b[i], 7u));
    }
}

__global__ void bit_fields_in_ptx(int n, const unsigned *a, const unsigned *b, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    unsigned position = i % 35, length = i / 35 % 35;
    unsigned r[6];
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r[0]) : "r"(a[i]), "r"(position), "r"(length));
    asm("bfe.s32 %0, %1, %2, %3;" : "=r"(r[1]) : "r"(a[i]), "r"(position), "r"(length));
    asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(r[2]) : "r"(a[i]), "r"(b[i]), "r"(position), "r"(length));
    asm("lop3.b32 %0, %1, %2, %3, 0xE8;" : "=r"(r[3]) : "r"(a[i]), "r"(b[i]), "r"(a[i] * 3u));
    asm("bfind.u32 %0, %1;" : "=r"(r[4]) : "r"(a[i] >> (i % 32)));
    asm("szext.wrap.s32 %0, %1, %2;" : "=r"(r[5]) : "r"(a[i]), "r"(b[i]));
    for (int k = 0; k < 6; ++k) {
        out[6 * i + k] = r[k];
    }
}

__global__ void averages_and_differences(int n, const int *a, const int *b, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[6 * i] = __hadd(a[i], b[i]);
        out[6 * i + 1] = __rhadd(a[i], b[i]);
        out[6 * i + 2] = static_cast<int>(__uhadd(static_cast<unsigned>(a[i]), static_cast<unsigned>(b[i])));
        out[6 * i + 3] = static_cast<int>(__sad(a[i], b[i], 5u));
        out[6 * i + 4] = static_cast<int>(__usad(static_cast<unsigned>(a[i]), static_cast<unsigned>(b[i]), 9u));
        out[6 * i + 5] = __mul24(a[i], b[i]) ^ static_cast<int>(__umul24(static_cast<unsigned>(a[i]), 77u));
    }
}

int main() {
    const int n = 3000, blocks = (n + 127) / 128;
    auto a = check::patterns<unsigned>(n, 321), b = check::patterns<unsigned>(n, 322);
    a[5] = 0;
    a[6] = 0xFFFFFFFFu;
    check::DeviceBuffer<unsigned> da(a), db(b);
    {
        check::DeviceBuffer<int> dout(6 * n);
        count_and_find_bits<<<blocks, 128>>>(n, da, dout);
        std::vector<int> out(6 * n);
        for (int i = 0; i < n; ++i) {
            unsigned x = a[i] >> (i % 33 == 32 ? 31 : i % 33);
            unsigned long long wide = (static_cast<unsigned long long>(x) << 32 | a[i]) >> (i % 64);
            int first = 0, last = -1, wide_first = 0, wide_last = -1;
            for (int bit = 0; bit < 64; ++bit) {
                if (bit < 32 && (x >> bit & 1)) {
                    ++out[6 * i];
                    first = first == 0 ? bit + 1 : first;
                    last = bit;
                }
                if (wide >> bit & 1) {
                    ++out[6 * i + 3];
                    wide_first = wide_first == 0 ? bit + 1 : wide_first;
                    wide_last = bit;
                }
            }
            out[6 * i + 1] = 31 - last;
            out[6 * i + 2] = first;
            out[6 * i + 4] = 63 - wide_last;
            out[6 * i + 5] = wide_first;
        }
        check::exact("count_and_find_bits", dout.to_host(), out);
    }
    {
        check::DeviceBuffer<unsigned> dout(4 * n);
        reverse_and_permute<<<blocks, 128>>>(n, da, db, dout);
        std::vector<unsigned> out(4 * n);
        auto reversed = [](unsigned x) {
            unsigned r = 0;
            for (int bit = 0; bit < 32; ++bit) {
                r |= (x >> bit & 1) << (31 - bit);
            }
            return r;
        };
        for (int i = 0; i < n; ++i) {
            out[4 * i] = reversed(a[i]);
            out[4 * i + 1] = reversed(a[i]);
            out[4 * i + 2] = reversed(b[i]);
            unsigned selector = (a[i] ^ b[i]) & 0x7777;
            for (int k = 0; k < 4; ++k) {
                unsigned from = selector >> (4 * k) & 7;
                out[4 * i + 3] |= ((from < 4 ? a[i] >> (8 * from) : b[i] >> (8 * (from - 4))) & 255) << (8 * k);
            }
        }
        check::exact("reverse_and_permute", dout.to_host(), out);
    }
    {
        check::DeviceBuffer<unsigned> dout(4 * n);
        funnel_shifts<<<blocks, 128>>>(n, da, db, dout);
        std::vector<unsigned> out(4 * n);
        for (int i = 0; i < n; ++i) {
            unsigned long long both = static_cast<unsigned long long>(b[i]) << 32 | a[i];
            int wrapped = i % 70 % 32, clamped = i % 70 > 32 ? 32 : i % 70;
            out[4 * i] = static_cast<unsigned>(both << wrapped >> 32);
            out[4 * i + 1] = static_cast<unsigned>(both >> wrapped);
            out[4 * i + 2] = static_cast<unsigned>(both << clamped >> 32);
            out[4 * i + 3] = static_cast<unsigned>(both >> clamped);
        }
        check::exact("funnel_shifts", dout.to_host(), out);
    }
    {
        check::DeviceBuffer<int> dout(4 * n);
        byte_dot_products<<<blocks, 128>>>(n, da, db, dout);
        std::vector<int> out(4 * n);
        for (int i = 0; i < n; ++i) {
            out[4 * i] = i;
            out[4 * i + 1] = i;
            for (int k = 0; k < 4; ++k) {
                out[4 * i] += static_cast<signed char>(a[i] >> (8 * k)) * static_cast<signed char>(b[i] >> (8 * k));
                out[4 * i + 1] += static_cast<int>((a[i] >> (8 * k) & 255) * (b[i] >> (8 * k) & 255));
            }
            out[4 * i + 2] = -i + static_cast<short>(a[i]) * static_cast<signed char>(b[i]) +
                             static_cast<short>(a[i] >> 16) * static_cast<signed char>(b[i] >> 8);
            out[4 * i + 3] = static_cast<int>(7 + (a[i] & 0xFFFF) * (b[i] >> 16 & 255) + (a[i] >> 16) * (b[i] >> 24));
        }
        check::exact("byte_dot_products", dout.to_host(), out);
    }
    {
        check::DeviceBuffer<unsigned> dout(6 * n);
        bit_fields_in_ptx<<<blocks, 128>>>(n, da, db, dout);
        std::vector<unsigned> out(6 * n);
        for (int i = 0; i < n; ++i) {
            int position = i % 35, length = i / 35 % 35;
            unsigned sign = length == 0 ? 0 : a[i] >> (position + length - 1 > 31 ? 31 : position + length - 1) & 1;
            for (int bit = 0; bit < 32; ++bit) {
                bool inside = bit < length && position + bit < 32;
                unsigned field = inside ? a[i] >> (position + bit) & 1 : 0;
                out[6 * i] |= field << bit;
                out[6 * i + 1] |= (inside ? field : sign) << bit;
                bool replaced = bit >= position && bit < position + length;
                out[6 * i + 2] |= ((replaced ? a[i] >> (bit - position) : b[i] >> bit) & 1) << bit;
            }
            unsigned c = a[i] * 3u, shifted = a[i] >> (i % 32);
            out[6 * i + 3] = (a[i] & b[i]) | (a[i] & c) | (b[i] & c);
            out[6 * i + 4] = 0xFFFFFFFFu;
            for (unsigned bit = 0; bit < 32; ++bit) {
                out[6 * i + 4] = shifted >> bit & 1 ? bit : out[6 * i + 4];
            }
            int width = b[i] & 31;
            out[6 * i + 5] = width == 0 ? 0 : static_cast<unsigned>(static_cast<int>(a[i] << (32 - width)) >> (32 - width));
        }
        check::exact("bit_fields_in_ptx", dout.to_host(), out);
    }
    {
        check::DeviceBuffer<int> dout(6 * n);
        averages_and_differences<<<blocks, 128>>>(n, (int *)(unsigned *)da, (int *)(unsigned *)db, dout);
        std::vector<int> out(6 * n);
        for (int i = 0; i < n; ++i) {
            long long x = static_cast<int>(a[i]), y = static_cast<int>(b[i]), ux = a[i], uy = b[i];
            auto low_24 = [](unsigned v) { return static_cast<long long>(static_cast<int>(v << 8) >> 8); };
            out[6 * i] = static_cast<int>((x + y) >> 1);
            out[6 * i + 1] = static_cast<int>((x + y + 1) >> 1);
            out[6 * i + 2] = static_cast<int>((ux + uy) >> 1);
            out[6 * i + 3] = static_cast<int>((x > y ? x - y : y - x) + 5);
            out[6 * i + 4] = static_cast<int>((ux > uy ? ux - uy : uy - ux) + 9);
            out[6 * i + 5] = static_cast<int>(static_cast<unsigned>(low_24(a[i]) * low_24(b[i]))) ^
                             static_cast<int>((a[i] & 0xFFFFFF) * 77u);
        }
        check::exact("averages_and_differences", dout.to_host(), out);
    }
    return check::finish();
}
