// Four bytes or two halves of a word at once: __vadd4, saturation, absolute differences, comparisons, averages, sums.
#include "support/check.cuh"

__global__ void four_bytes_add(int n, const unsigned *a, const unsigned *b, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[6 * i] = __vadd4(a[i], b[i]);
        out[6 * i + 1] = __vsub4(a[i], b[i]);
        out[6 * i + 2] = __vaddus4(a[i], b[i]);
        out[6 * i + 3] = __vaddss4(a[i], b[i]);
        out[6 * i + 4] = __vsubus4(a[i], b[i]);
        out[6 * i + 5] = __vsubss4(a[i], b[i]);
    }
}

__global__ void four_bytes_compare(int n, const unsigned *a, const unsigned *b, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[6 * i] = __vcmpeq4(a[i], b[i]);
        out[6 * i + 1] = __vcmpgtu4(a[i], b[i]);
        out[6 * i + 2] = __vcmpgts4(a[i], b[i]);
        out[6 * i + 3] = __vsetleu4(a[i], b[i]);
        out[6 * i + 4] = __vmaxs4(a[i], b[i]);
        out[6 * i + 5] = __vminu4(a[i], b[i]);
    }
}

__global__ void four_bytes_differences(int n, const unsigned *a, const unsigned *b, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[6 * i] = __vabsdiffu4(a[i], b[i]);
        out[6 * i + 1] = __vabsdiffs4(a[i], b[i]);
        out[6 * i + 2] = __vsadu4(a[i], b[i]);
        out[6 * i + 3] = __vsads4(a[i], b[i]);
        out[6 * i + 4] = __vavgu4(a[i], b[i]);
        out[6 * i + 5] = __vhaddu4(a[i], b[i]);
    }
}

__global__ void two_halves(int n, const unsigned *a, const unsigned *b, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[6 * i] = __vadd2(a[i], b[i]);
        out[6 * i + 1] = __vsubss2(a[i], b[i]);
        out[6 * i + 2] = __vabsdiffu2(a[i], b[i]);
        out[6 * i + 3] = __vcmpges2(a[i], b[i]);
        out[6 * i + 4] = __vmaxu2(a[i], b[i]);
        out[6 * i + 5] = __vneg2(a[i]) ^ __vabs2(b[i]);
    }
}

__global__ void fused_minima_and_maxima(int n, const int *a, const int *b, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[4 * i] = __vimax3_s32(a[i], b[i], i);
        out[4 * i + 1] = __vimin_s32_relu(a[i], b[i]);
        out[4 * i + 2] = __viaddmax_s32(a[i] / 2, b[i] / 2, -i);
        out[4 * i + 3] = static_cast<int>(__vimax3_s16x2(static_cast<unsigned>(a[i]), static_cast<unsigned>(b[i]), 0x00050005u));
    }
}

// Applies a function of two signed or unsigned lanes to the lanes of two words.
template <typename Lane, typename Function> unsigned by_lanes(unsigned a, unsigned b, Function function) {
    const int bits = 8 * sizeof(Lane);
    unsigned out = 0;
    for (int shift = 0; shift < 32; shift += bits) {
        int value = function(static_cast<int>(static_cast<Lane>(a >> shift)), static_cast<int>(static_cast<Lane>(b >> shift)));
        out |= (static_cast<unsigned>(value) & (0xFFFFFFFFu >> (32 - bits))) << shift;
    }
    return out;
}

int limited(int value, int low, int high) { return value < low ? low : value > high ? high : value; }

int main() {
    typedef unsigned char u8;
    typedef signed char s8;
    typedef unsigned short u16;
    typedef short s16;
    const int n = 3000, blocks = (n + 127) / 128;
    auto a = check::patterns<unsigned>(n, 331), b = check::patterns<unsigned>(n, 332);
    for (int i = 0; i < n; i += 3) {
        b[i] = (b[i] & 0xFF00FF00u) | (a[i] & 0x00FF00FFu);
    }
    a[1] = 0x80807F7Fu;
    b[1] = 0x7F808080u;
    check::DeviceBuffer<unsigned> da(a), db(b), dout(6 * n);
    auto difference = [](int x, int y) { return x > y ? x - y : y - x; };
    auto sum_of_lanes = [](unsigned word) { return (word & 255) + (word >> 8 & 255) + (word >> 16 & 255) + (word >> 24); };
    std::vector<unsigned> out(6 * n);
    {
        four_bytes_add<<<blocks, 128>>>(n, da, db, dout);
        for (int i = 0; i < n; ++i) {
            out[6 * i] = by_lanes<u8>(a[i], b[i], [](int x, int y) { return x + y; });
            out[6 * i + 1] = by_lanes<u8>(a[i], b[i], [](int x, int y) { return x - y; });
            out[6 * i + 2] = by_lanes<u8>(a[i], b[i], [](int x, int y) { return limited(x + y, 0, 255); });
            out[6 * i + 3] = by_lanes<s8>(a[i], b[i], [](int x, int y) { return limited(x + y, -128, 127); });
            out[6 * i + 4] = by_lanes<u8>(a[i], b[i], [](int x, int y) { return limited(x - y, 0, 255); });
            out[6 * i + 5] = by_lanes<s8>(a[i], b[i], [](int x, int y) { return limited(x - y, -128, 127); });
        }
        check::exact("four_bytes_add", dout.to_host(), out);
    }
    {
        four_bytes_compare<<<blocks, 128>>>(n, da, db, dout);
        for (int i = 0; i < n; ++i) {
            out[6 * i] = by_lanes<u8>(a[i], b[i], [](int x, int y) { return x == y ? 255 : 0; });
            out[6 * i + 1] = by_lanes<u8>(a[i], b[i], [](int x, int y) { return x > y ? 255 : 0; });
            out[6 * i + 2] = by_lanes<s8>(a[i], b[i], [](int x, int y) { return x > y ? 255 : 0; });
            out[6 * i + 3] = by_lanes<u8>(a[i], b[i], [](int x, int y) { return x <= y ? 1 : 0; });
            out[6 * i + 4] = by_lanes<s8>(a[i], b[i], [](int x, int y) { return x > y ? x : y; });
            out[6 * i + 5] = by_lanes<u8>(a[i], b[i], [](int x, int y) { return x < y ? x : y; });
        }
        check::exact("four_bytes_compare", dout.to_host(), out);
    }
    {
        four_bytes_differences<<<blocks, 128>>>(n, da, db, dout);
        for (int i = 0; i < n; ++i) {
            out[6 * i] = by_lanes<u8>(a[i], b[i], difference);
            out[6 * i + 1] = by_lanes<s8>(a[i], b[i], difference);
            out[6 * i + 2] = sum_of_lanes(out[6 * i]);
            out[6 * i + 3] = sum_of_lanes(out[6 * i + 1]);
            out[6 * i + 4] = by_lanes<u8>(a[i], b[i], [](int x, int y) { return (x + y + 1) / 2; });
            out[6 * i + 5] = by_lanes<u8>(a[i], b[i], [](int x, int y) { return (x + y) / 2; });
        }
        check::exact("four_bytes_differences", dout.to_host(), out);
    }
    {
        two_halves<<<blocks, 128>>>(n, da, db, dout);
        for (int i = 0; i < n; ++i) {
            out[6 * i] = by_lanes<u16>(a[i], b[i], [](int x, int y) { return x + y; });
            out[6 * i + 1] = by_lanes<s16>(a[i], b[i], [](int x, int y) { return limited(x - y, -32768, 32767); });
            out[6 * i + 2] = by_lanes<u16>(a[i], b[i], difference);
            out[6 * i + 3] = by_lanes<s16>(a[i], b[i], [](int x, int y) { return x >= y ? 65535 : 0; });
            out[6 * i + 4] = by_lanes<u16>(a[i], b[i], [](int x, int y) { return x > y ? x : y; });
            out[6 * i + 5] = by_lanes<s16>(a[i], b[i], [](int x, int) { return -x; }) ^
                             by_lanes<s16>(a[i], b[i], [](int, int y) { return y < 0 ? -y : y; });
        }
        check::exact("two_halves", dout.to_host(), out);
    }
    {
        check::DeviceBuffer<int> dfused(4 * n);
        fused_minima_and_maxima<<<blocks, 128>>>(n, (int *)(unsigned *)da, (int *)(unsigned *)db, dfused);
        std::vector<int> fused(4 * n);
        for (int i = 0; i < n; ++i) {
            int x = static_cast<int>(a[i]), y = static_cast<int>(b[i]);
            fused[4 * i] = limited(x > y ? x : y, i, 0x7FFFFFFF);
            fused[4 * i + 1] = limited(x < y ? x : y, 0, 0x7FFFFFFF);
            fused[4 * i + 2] = limited(x / 2 + y / 2, -i, 0x7FFFFFFF);
            fused[4 * i + 3] = static_cast<int>(
                by_lanes<s16>(a[i], b[i], [](int p, int q) { return limited(p > q ? p : q, 5, 32767); }));
        }
        check::exact("fused_minima_and_maxima", dfused.to_host(), fused);
    }
    return check::finish();
}
