// 64-bit and 128-bit integers, high products, carry chains in PTX, multi-word products, modular powers, greatest divisors.
#include "support/check.cuh"

typedef unsigned long long u64;
typedef long long s64;
typedef unsigned __int128 u128;
typedef __int128 s128;

__global__ void divide_64_bits(int n, const u64 *a, const u64 *b, u64 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        u64 divisor = b[i] >> (i % 64);
        divisor = divisor == 0 ? 1 : divisor;
        s64 signed_divisor = static_cast<s64>(divisor) == -1 ? 3 : static_cast<s64>(divisor);
        out[4 * i] = a[i] / divisor;
        out[4 * i + 1] = a[i] % divisor;
        out[4 * i + 2] = static_cast<u64>(static_cast<s64>(a[i]) / signed_divisor);
        out[4 * i + 3] = static_cast<u64>(static_cast<s64>(a[i]) % signed_divisor);
    }
}

__global__ void high_products(int n, const u64 *a, const u64 *b, u64 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[4 * i] = __umul64hi(a[i], b[i]);
        out[4 * i + 1] = static_cast<u64>(__mul64hi(static_cast<s64>(a[i]), static_cast<s64>(b[i])));
        out[4 * i + 2] = __umulhi(static_cast<unsigned>(a[i]), static_cast<unsigned>(b[i]));
        out[4 * i + 3] = static_cast<u64>(static_cast<s64>(__mulhi(static_cast<int>(a[i]), static_cast<int>(b[i]))));
    }
}

__host__ __device__ inline void mix_128(u64 a, u64 b, int shift, u64 *out) {
    u128 x = static_cast<u128>(a) << 64 | b, y = (static_cast<u128>(b) << 64 | a) >> shift | 1;
    s128 z = static_cast<s128>(x) >> shift, w = (static_cast<s128>(static_cast<s64>(a) | 1)) * 0x100000001ll;
    u128 results[6] = {x * y, x / y, x % y, static_cast<u128>(z / w), static_cast<u128>(z % w), x + y - (x >> 3)};
    for (int k = 0; k < 6; ++k) {
        out[2 * k] = static_cast<u64>(results[k]);
        out[2 * k + 1] = static_cast<u64>(results[k] >> 64);
    }
}

__global__ void arithmetic_128_bits(int n, const u64 *a, const u64 *b, u64 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        mix_128(a[i], b[i], i % 120, out + 12 * i);
    }
}

// 256-bit sums and differences with the carry flag.
__global__ void add_with_carry_chain(int n, const unsigned *a, const unsigned *b, unsigned *sum, unsigned *difference) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    unsigned x[8], y[8], s[9], d[9];
    for (int k = 0; k < 8; ++k) {
        x[k] = a[i * 8 + k];
        y[k] = b[i * 8 + k];
    }
    asm("add.cc.u32 %0, %9, %17;\n\taddc.cc.u32 %1, %10, %18;\n\taddc.cc.u32 %2, %11, %19;\n\t"
        "addc.cc.u32 %3, %12, %20;\n\taddc.cc.u32 %4, %13, %21;\n\taddc.cc.u32 %5, %14, %22;\n\t"
        "addc.cc.u32 %6, %15, %23;\n\taddc.cc.u32 %7, %16, %24;\n\taddc.u32 %8, 0, 0;"
        : "=&r"(s[0]), "=&r"(s[1]), "=&r"(s[2]), "=&r"(s[3]), "=&r"(s[4]), "=&r"(s[5]), "=&r"(s[6]), "=&r"(s[7]),
          "=&r"(s[8])
        : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]), "r"(y[0]), "r"(y[1]),
          "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]), "r"(y[6]), "r"(y[7]));
    asm("sub.cc.u32 %0, %9, %17;\n\tsubc.cc.u32 %1, %10, %18;\n\tsubc.cc.u32 %2, %11, %19;\n\t"
        "subc.cc.u32 %3, %12, %20;\n\tsubc.cc.u32 %4, %13, %21;\n\tsubc.cc.u32 %5, %14, %22;\n\t"
        "subc.cc.u32 %6, %15, %23;\n\tsubc.cc.u32 %7, %16, %24;\n\tsubc.u32 %8, 0, 0;"
        : "=&r"(d[0]), "=&r"(d[1]), "=&r"(d[2]), "=&r"(d[3]), "=&r"(d[4]), "=&r"(d[5]), "=&r"(d[6]), "=&r"(d[7]),
          "=&r"(d[8])
        : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]), "r"(y[0]), "r"(y[1]),
          "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]), "r"(y[6]), "r"(y[7]));
    for (int k = 0; k < 9; ++k) {
        sum[i * 9 + k] = s[k];
        difference[i * 9 + k] = d[k];
    }
}

// One row of a long product: 128 bits plus 128 bits times 32 bits, by mad.lo.cc and madc.hi.
__global__ void multiply_with_carry_chain(int n, const unsigned *a, const unsigned *b, unsigned *product) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    unsigned p[8] = {};
    for (int row = 0; row < 4; ++row) {
        unsigned m = b[i * 4 + row];
        unsigned *q = p + row;
        const unsigned *x = a + i * 4;
        asm("mad.lo.cc.u32 %0, %5, %9, %0;\n\tmadc.lo.cc.u32 %1, %6, %9, %1;\n\tmadc.lo.cc.u32 %2, %7, %9, %2;\n\t"
            "madc.lo.cc.u32 %3, %8, %9, %3;\n\taddc.u32 %4, %4, 0;\n\t"
            "mad.hi.cc.u32 %1, %5, %9, %1;\n\tmadc.hi.cc.u32 %2, %6, %9, %2;\n\tmadc.hi.cc.u32 %3, %7, %9, %3;\n\t"
            "madc.hi.u32 %4, %8, %9, %4;"
            : "+r"(q[0]), "+r"(q[1]), "+r"(q[2]), "+r"(q[3]), "+r"(q[4])
            : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(m));
    }
    for (int k = 0; k < 8; ++k) {
        product[i * 8 + k] = p[k];
    }
}

__host__ __device__ inline u64 power_modulo(u64 base, u64 exponent, u64 modulus) {
    u64 result = 1 % modulus;
    for (base %= modulus; exponent != 0; exponent >>= 1) {
        result = exponent & 1 ? static_cast<u64>(static_cast<u128>(result) * base % modulus) : result;
        base = static_cast<u64>(static_cast<u128>(base) * base % modulus);
    }
    return result;
}

__global__ void modular_powers(int n, const u64 *a, const u64 *b, u64 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = power_modulo(a[i], b[i] & 0xFFFFF, (b[i] >> 1) | 1);
    }
}

__global__ void greatest_common_divisors(int n, const u64 *a, const u64 *b, u64 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        u64 x = a[i] >> 20, y = b[i] >> (20 + i % 40);
        while (y != 0) {
            u64 t = x % y;
            x = y;
            y = t;
        }
        out[i] = x;
    }
}

int main() {
    const int n = 2000, blocks = (n + 127) / 128;
    auto a = check::patterns<u64>(n, 311), b = check::patterns<u64>(n, 312);
    a[0] = ~0ull;
    b[0] = ~0ull;
    a[1] = 1ull << 63;
    check::DeviceBuffer<u64> da(a), db(b);
    {
        check::DeviceBuffer<u64> dout(4 * n);
        divide_64_bits<<<blocks, 128>>>(n, da, db, dout);
        std::vector<u64> out(4 * n);
        for (int i = 0; i < n; ++i) {
            u64 divisor = b[i] >> (i % 64);
            divisor = divisor == 0 ? 1 : divisor;
            s64 signed_divisor = static_cast<s64>(divisor) == -1 ? 3 : static_cast<s64>(divisor);
            out[4 * i] = a[i] / divisor;
            out[4 * i + 1] = a[i] % divisor;
            out[4 * i + 2] = static_cast<u64>(static_cast<s64>(a[i]) / signed_divisor);
            out[4 * i + 3] = static_cast<u64>(static_cast<s64>(a[i]) % signed_divisor);
        }
        check::exact("divide_64_bits", dout.to_host(), out);
    }
    {
        check::DeviceBuffer<u64> dout(4 * n);
        high_products<<<blocks, 128>>>(n, da, db, dout);
        std::vector<u64> out(4 * n);
        for (int i = 0; i < n; ++i) {
            out[4 * i] = static_cast<u64>(static_cast<u128>(a[i]) * b[i] >> 64);
            out[4 * i + 1] = static_cast<u64>(static_cast<s128>(static_cast<s64>(a[i])) * static_cast<s64>(b[i]) >> 64);
            out[4 * i + 2] = static_cast<u64>(static_cast<unsigned>(a[i])) * static_cast<unsigned>(b[i]) >> 32;
            out[4 * i + 3] = static_cast<u64>(static_cast<s64>(static_cast<int>(a[i])) * static_cast<int>(b[i]) >> 32);
        }
        check::exact("high_products", dout.to_host(), out);
    }
    {
        check::DeviceBuffer<u64> dout(12 * n);
        arithmetic_128_bits<<<blocks, 128>>>(n, da, db, dout);
        std::vector<u64> out(12 * n);
        for (int i = 0; i < n; ++i) {
            mix_128(a[i], b[i], i % 120, &out[12 * i]);
        }
        check::exact("arithmetic_128_bits", dout.to_host(), out);
    }
    {
        auto x = check::patterns<unsigned>(8 * n, 313), y = check::patterns<unsigned>(8 * n, 314);
        for (int i = 0; i < 8 * n; i += 3) {
            y[i] = ~x[i];
        }
        check::DeviceBuffer<unsigned> dx(x), dy(y), dsum(9 * n), ddifference(9 * n);
        add_with_carry_chain<<<blocks, 128>>>(n, dx, dy, dsum, ddifference);
        std::vector<unsigned> sum(9 * n), difference(9 * n);
        for (int i = 0; i < n; ++i) {
            u64 carry = 0;
            s64 borrow = 0;
            for (int k = 0; k < 8; ++k) {
                carry += static_cast<u64>(x[i * 8 + k]) + y[i * 8 + k];
                sum[i * 9 + k] = static_cast<unsigned>(carry);
                carry >>= 32;
                borrow += static_cast<s64>(x[i * 8 + k]) - y[i * 8 + k];
                difference[i * 9 + k] = static_cast<unsigned>(borrow);
                borrow >>= 32;
            }
            sum[i * 9 + 8] = static_cast<unsigned>(carry);
            difference[i * 9 + 8] = static_cast<unsigned>(borrow);
        }
        check::exact("add_with_carry_chain_sum", dsum.to_host(), sum);
        check::exact("add_with_carry_chain_difference", ddifference.to_host(), difference);
    }
    {
        auto x = check::patterns<unsigned>(4 * n, 315), y = check::patterns<unsigned>(4 * n, 316);
        for (int i = 0; i < 4 * n; i += 5) {
            x[i] = 0xFFFFFFFFu;
            y[(i + 7) % (4 * n)] = 0xFFFFFFFFu;
        }
        check::DeviceBuffer<unsigned> dx(x), dy(y), dproduct(8 * n);
        multiply_with_carry_chain<<<blocks, 128>>>(n, dx, dy, dproduct);
        std::vector<unsigned> product(8 * n);
        for (int i = 0; i < n; ++i) {
            for (int row = 0; row < 4; ++row) {
                u64 carry = 0;
                for (int k = 0; k < 4; ++k) {
                    carry += static_cast<u64>(x[i * 4 + k]) * y[i * 4 + row] + product[i * 8 + row + k];
                    product[i * 8 + row + k] = static_cast<unsigned>(carry);
                    carry >>= 32;
                }
                product[i * 8 + row + 4] = static_cast<unsigned>(carry);
            }
        }
        check::exact("multiply_with_carry_chain", dproduct.to_host(), product);
    }
    {
        const int count = 200;
        check::DeviceBuffer<u64> dout(count);
        modular_powers<<<2, 128>>>(count, da, db, dout);
        std::vector<u64> out(count);
        for (int i = 0; i < count; ++i) {
            out[i] = power_modulo(a[i], b[i] & 0xFFFFF, (b[i] >> 1) | 1);
        }
        check::exact("modular_powers", dout.to_host(), out);
    }
    {
        check::DeviceBuffer<u64> dout(n);
        greatest_common_divisors<<<blocks, 128>>>(n, da, db, dout);
        std::vector<u64> out(n);
        for (int i = 0; i < n; ++i) {
            u64 x = a[i] >> 20, y = b[i] >> (20 + i % 40);
            while (y != 0) {
                u64 t = x % y;
                x = y;
                y = t;
            }
            out[i] = x;
        }
        check::exact("greatest_common_divisors", dout.to_host(), out);
    }
    return check::finish();
}
