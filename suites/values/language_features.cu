// Language features: local arrays, large parameters, constant memory, templates, lambdas, unions, bit fields, 3-D grids.
#include "support/check.cuh"

__global__ void local_array_dynamic_index(int n, const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    int table[40];
    for (int k = 0; k < 40; ++k) {
        table[k] = k * in[i] + i;
    }
    int at = in[i] % 40;
    for (int step = 0; step < 20; ++step) {
        int other = (table[at] & 0x7FFFFFFF) % 40;
        table[other] ^= table[at] + step;
        at = (other + 7) % 40;
    }
    unsigned sum = 0;
    for (int k = 0; k < 40; ++k) {
        sum = sum * 3 + static_cast<unsigned>(table[k]);
    }
    out[i] = static_cast<int>(sum);
}

struct Settings {
    char name[20];
    short small[11];
    double factors[9];
    long long offset;
    unsigned char flags[37];
    float last;
};

__global__ void large_parameter_by_value(Settings settings, int n, double *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double value = settings.factors[i % 9] * settings.small[i % 11];
        out[i] = value + settings.name[i % 20] + static_cast<double>(settings.offset) + settings.flags[i % 37] + settings.last;
    }
}

struct Row {
    int key;
    float weight;
};

__constant__ Row rows[64];
__constant__ unsigned char permutation[256];
__device__ int device_counter = 7;

__global__ void constant_tables(int n, const unsigned char *in, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        Row row = rows[permutation[in[i]] % 64];
        out[i] = row.weight * row.key + rows[i % 64].weight;
        if (i < 5) {
            atomicAdd(&device_counter, i);
        }
    }
}

template <int N, typename T> struct Polynomial {
    __host__ __device__ static T evaluate(T x) { return Polynomial<N - 1, T>::evaluate(x) * x + N; }
};
template <typename T> struct Polynomial<0, T> {
    __host__ __device__ static T evaluate(T) { return T(1); }
};

template <typename... Values> __host__ __device__ auto sum_of(Values... values) { return (values + ...); }

template <int N, typename T> __global__ void template_recursion(int n, const T *in, T *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        if constexpr (sizeof(T) == 8) {
            out[i] = Polynomial<N, T>::evaluate(in[i]) + sum_of(T(1), T(i), T(2));
        } else {
            out[i] = Polynomial<N, T>::evaluate(in[i]);
        }
    }
}

__global__ void lambdas_with_captures(int n, const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int base = in[i], calls = 0;
        auto scaled = [base](int x) { return base * x; };
        auto counted = [&calls, scaled](auto x) mutable {
            ++calls;
            return scaled(static_cast<int>(x)) + calls;
        };
        int sum = counted(3) + counted(2.9f) + counted(static_cast<short>(-4));
        out[i] = sum * 10 + calls;
    }
}

union Bits {
    float real;
    unsigned word;
    unsigned char bytes[4];
};

struct Packed {
    unsigned low : 5;
    int middle : 12;
    unsigned high : 15;
};

__host__ __device__ inline unsigned through_unions(unsigned x) {
    Packed packed;
    packed.low = x & 31;
    packed.middle = static_cast<int>(x >> 5 & 4095) - 2048;
    packed.high = x >> 17;
    Bits bits;
    bits.word = (x & 0x7FFFFF) | 0x3F800000u;
    bits.real = bits.real * 0.5f;
    unsigned char t = bits.bytes[0];
    bits.bytes[0] = bits.bytes[1];
    bits.bytes[1] = t;
    return bits.word + packed.low * 3u + static_cast<unsigned>(packed.middle * 7) + packed.high;
}

__global__ void unions_and_bit_fields(int n, const unsigned *in, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = through_unions(in[i]);
    }
}

__global__ void three_dimensional_grid(uint4 *out) {
    unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    unsigned lane, warp;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    warp = thread / warpSize;
    out[block * blockDim.x * blockDim.y * blockDim.z + thread] =
        make_uint4(blockIdx.x | blockIdx.y << 8 | blockIdx.z << 16, threadIdx.x | threadIdx.y << 8 | threadIdx.z << 16,
                   lane | warp << 8, gridDim.x | gridDim.y << 8 | gridDim.z << 16);
}

// Loops that end at different times, break and continue, nested conditions.
__host__ __device__ inline unsigned divergent_walk(unsigned x) {
    unsigned result = 0;
    for (unsigned k = 0; k < 40; ++k) {
        x = x * 1103515245u + 12345u;
        if (x >> 28 == 3) {
            continue;
        }
        unsigned inner = x >> 29;
        while (inner-- > 0) {
            if ((x >> inner & 1) && result % 7 == 2) {
                result += k;
                break;
            }
            result = result * 5 + inner;
        }
        if (x >> 27 == 30) {
            return result ^ k;
        }
        do {
            result ^= x;
            x >>= 3;
        } while (x & 4);
    }
    return result;
}

__global__ void divergent_loops(int n, const unsigned *in, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = divergent_walk(in[i]);
    }
}

int main() {
    const int n = 3000, blocks = (n + 127) / 128;
    {
        auto in = check::integers<int>(n, 401, 0, 1000);
        check::DeviceBuffer<int> din(in), dout(n);
        local_array_dynamic_index<<<blocks, 128>>>(n, din, dout);
        std::vector<int> out(n);
        for (int i = 0; i < n; ++i) {
            unsigned table[40];
            for (int k = 0; k < 40; ++k) {
                table[k] = static_cast<unsigned>(k * in[i] + i);
            }
            int at = in[i] % 40;
            for (int step = 0; step < 20; ++step) {
                int other = static_cast<int>(table[at] & 0x7FFFFFFF) % 40;
                table[other] ^= table[at] + static_cast<unsigned>(step);
                at = (other + 7) % 40;
            }
            unsigned sum = 0;
            for (int k = 0; k < 40; ++k) {
                sum = sum * 3 + table[k];
            }
            out[i] = static_cast<int>(sum);
        }
        check::exact("local_array_dynamic_index", dout.to_host(), out);
    }
    {
        Settings settings = {};
        for (int k = 0; k < 37; ++k) {
            settings.flags[k] = static_cast<unsigned char>(k * 6);
            settings.name[k % 20] = static_cast<char>(k * 3 - 50);
            settings.small[k % 11] = static_cast<short>(k * 801 - 9000);
            settings.factors[k % 9] = k * 0.5 - 4;
        }
        settings.offset = -123456789012ll;
        settings.last = 0.75f;
        check::DeviceBuffer<double> dout(n);
        large_parameter_by_value<<<blocks, 128>>>(settings, n, dout);
        std::vector<double> out(n);
        for (int i = 0; i < n; ++i) {
            double value = settings.factors[i % 9] * settings.small[i % 11];
            out[i] = value + settings.name[i % 20] + static_cast<double>(settings.offset) + settings.flags[i % 37] + settings.last;
        }
        check::exact("large_parameter_by_value", dout.to_host(), out);
    }
    {
        Row host_rows[64];
        unsigned char host_permutation[256];
        for (int k = 0; k < 256; ++k) {
            host_rows[k % 64] = Row{k * 3 - 100, static_cast<float>(k) * 0.25f};
            host_permutation[k] = static_cast<unsigned char>(k * 77 + 13);
        }
        REQUIRE_SUCCESS(cudaMemcpyToSymbol(rows, host_rows, sizeof(host_rows)));
        REQUIRE_SUCCESS(cudaMemcpyToSymbol(permutation, host_permutation, sizeof(host_permutation)));
        auto in = check::patterns<unsigned char>(n, 402);
        check::DeviceBuffer<unsigned char> din(in);
        check::DeviceBuffer<float> dout(n);
        constant_tables<<<blocks, 128>>>(n, din, dout);
        std::vector<float> out(n);
        for (int i = 0; i < n; ++i) {
            Row row = host_rows[host_permutation[in[i]] % 64];
            out[i] = row.weight * row.key + host_rows[i % 64].weight;
        }
        check::exact("constant_tables", dout.to_host(), out);
        int counter = 0;
        REQUIRE_SUCCESS(cudaMemcpyFromSymbol(&counter, device_counter, sizeof(counter)));
        check::exact("constant_tables_counter", std::vector<int>{counter}, std::vector<int>{17});
    }
    {
        auto small = check::integers<int>(n, 403, -3, 3);
        auto wide = check::integers<double>(n, 404, -9, 9);
        check::DeviceBuffer<int> dsmall(small), dsmall_out(n);
        check::DeviceBuffer<double> dwide(wide), dwide_out(n);
        template_recursion<9, int><<<blocks, 128>>>(n, dsmall, dsmall_out);
        template_recursion<6, double><<<blocks, 128>>>(n, dwide, dwide_out);
        std::vector<int> small_out(n, 1);
        std::vector<double> wide_out(n, 1);
        for (int i = 0; i < n; ++i) {
            for (int k = 1; k <= 9; ++k) {
                small_out[i] = small_out[i] * small[i] + k;
            }
            for (int k = 1; k <= 6; ++k) {
                wide_out[i] = wide_out[i] * wide[i] + k;
            }
            wide_out[i] += 3.0 + i;
        }
        check::exact("template_recursion_int", dsmall_out.to_host(), small_out);
        check::exact("template_recursion_double", dwide_out.to_host(), wide_out);
    }
    {
        auto in = check::integers<int>(n, 405, -500, 500);
        check::DeviceBuffer<int> din(in), dout(n);
        lambdas_with_captures<<<blocks, 128>>>(n, din, dout);
        std::vector<int> out(n);
        for (int i = 0; i < n; ++i) {
            out[i] = (in[i] * (3 + 2 - 4) + 6) * 10 + 3;
        }
        check::exact("lambdas_with_captures", dout.to_host(), out);
    }
    auto patterns = check::patterns<unsigned>(n, 406);
    check::DeviceBuffer<unsigned> dpatterns(patterns), dwords(n);
    std::vector<unsigned> words(n);
    {
        unions_and_bit_fields<<<blocks, 128>>>(n, dpatterns, dwords);
        for (int i = 0; i < n; ++i) {
            words[i] = through_unions(patterns[i]);
        }
        check::exact("unions_and_bit_fields", dwords.to_host(), words);
    }
    {
        divergent_loops<<<blocks, 128>>>(n, dpatterns, dwords);
        for (int i = 0; i < n; ++i) {
            words[i] = divergent_walk(patterns[i]);
        }
        check::exact("divergent_loops", dwords.to_host(), words);
    }
    {
        const unsigned gx = 4, gy = 3, gz = 2, bx = 6, by = 5, bz = 3;
        check::DeviceBuffer<uint4> dout(gx * gy * gz * bx * by * bz);
        three_dimensional_grid<<<dim3(gx, gy, gz), dim3(bx, by, bz)>>>(dout);
        std::vector<uint4> out;
        for (unsigned block = 0; block < gx * gy * gz; ++block) {
            for (unsigned t = 0; t < bx * by * bz; ++t) {
                out.push_back(make_uint4(block % gx | block / gx % gy << 8 | block / gx / gy << 16,
                                         t % bx | t / bx % by << 8 | t / bx / by << 16, t % 32 | t / 32 << 8,
                                         gx | gy << 8 | gz << 16));
            }
        }
        check::exact("three_dimensional_grid", dout.to_host(), out);
    }
    return check::finish();
}
