// Reductions of a block and of a grid: shared tree, warp shuffles, last block finishes, position of the maximum.
#include "support/check.cuh"

__global__ void reduce_shared_tree(int n, const int *in, int *sums) {
    __shared__ int partial[256];
    int sum = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        sum += in[i];
    }
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            partial[threadIdx.x] += partial[threadIdx.x + half];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = partial[0];
    }
}

__device__ long long warp_sum_down(long long value) {
    for (int offset = 16; offset > 0; offset /= 2) {
        value += __shfl_down_sync(0xFFFFFFFFu, value, offset);
    }
    return value;
}

__global__ void reduce_warp_shuffles(int n, const int *in, long long *total) {
    __shared__ long long warp_sums[8];
    long long sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        sum += static_cast<long long>(in[i]) * in[i];
    }
    sum = warp_sum_down(sum);
    if (threadIdx.x % 32 == 0) {
        warp_sums[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = warp_sum_down(threadIdx.x < 8 ? warp_sums[threadIdx.x] : 0);
        if (threadIdx.x == 0) {
            atomicAdd(reinterpret_cast<unsigned long long *>(total), static_cast<unsigned long long>(sum));
        }
    }
}

__global__ void reduce_last_block(int n, const unsigned *in, unsigned *partial, unsigned *arrived, unsigned *result) {
    __shared__ unsigned words[128];
    __shared__ bool is_last;
    unsigned value = 0;
    for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) {
        value ^= in[i] * (2u * i + 1u);
    }
    words[threadIdx.x] = value;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            words[threadIdx.x] ^= words[threadIdx.x + half];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = words[0];
        __threadfence();
        is_last = atomicAdd(arrived, 1u) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (is_last) {
        value = 0;
        for (int b = threadIdx.x; b < gridDim.x; b += 128) {
            value ^= partial[b];
        }
        atomicXor(result, value);
    }
}

// The key holds the value above and the inverted index below, so that the first of equal maxima wins.
__global__ void reduce_position_of_maximum(int n, const int *in, unsigned long long *best) {
    unsigned long long key = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned ordered = static_cast<unsigned>(in[i]) ^ 0x80000000u;
        unsigned long long candidate = (static_cast<unsigned long long>(ordered) << 32) | ~static_cast<unsigned>(i);
        key = key > candidate ? key : candidate;
    }
    for (int mask = 16; mask > 0; mask /= 2) {
        unsigned long long other = __shfl_xor_sync(0xFFFFFFFFu, key, mask);
        key = key > other ? key : other;
    }
    if (threadIdx.x % 32 == 0) {
        atomicMax(best, key);
    }
}

__global__ void reduce_double_sums(int n, const double *in, double *sums) {
    extern __shared__ double dynamic_partial[];
    double sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        sum += in[blockIdx.x * n + i];
    }
    dynamic_partial[threadIdx.x] = sum;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            dynamic_partial[threadIdx.x] += dynamic_partial[threadIdx.x + half];
        }
    }
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = dynamic_partial[0];
    }
}

int main() {
    const int n = 100003;
    {
        const int blocks = 24;
        auto in = check::integers<int>(n, 31, -20000, 20000);
        check::DeviceBuffer<int> din(in), dsums(blocks);
        reduce_shared_tree<<<blocks, 256>>>(n, din, dsums);
        std::vector<int> sums(blocks);
        for (int i = 0; i < n; ++i) {
            sums[i / 256 % blocks] += in[i];
        }
        check::exact("reduce_shared_tree", dsums.to_host(), sums);
    }
    {
        auto in = check::integers<int>(n, 32, -2000000, 2000000);
        check::DeviceBuffer<int> din(in);
        check::DeviceBuffer<long long> dtotal(1);
        reduce_warp_shuffles<<<30, 256>>>(n, din, dtotal);
        long long total = 0;
        for (int v : in) {
            total += static_cast<long long>(v) * v;
        }
        check::exact("reduce_warp_shuffles", dtotal.to_host(), std::vector<long long>{total});
    }
    {
        auto in = check::patterns<unsigned>(n, 33);
        const int blocks = 150;
        check::DeviceBuffer<unsigned> din(in), partial(blocks), arrived(1), dresult(1);
        reduce_last_block<<<blocks, 128>>>(n, din, partial, arrived, dresult);
        unsigned result = 0;
        for (int i = 0; i < n; ++i) {
            result ^= in[i] * (2u * i + 1u);
        }
        check::exact("reduce_last_block", dresult.to_host(), std::vector<unsigned>{result});
    }
    {
        auto in = check::integers<int>(n, 34, -5000, 5000);
        check::DeviceBuffer<int> din(in);
        check::DeviceBuffer<unsigned long long> dbest(1);
        reduce_position_of_maximum<<<17, 160>>>(n, din, dbest);
        int best = 0;
        for (int i = 1; i < n; ++i) {
            best = in[i] > in[best] ? i : best;
        }
        unsigned long long key = static_cast<unsigned long long>(static_cast<unsigned>(in[best]) ^ 0x80000000u) << 32 |
                                 ~static_cast<unsigned>(best);
        check::exact("reduce_position_of_maximum", dbest.to_host(), std::vector<unsigned long long>{key});
    }
    {
        const int rows = 16, columns = 3000;
        auto in = check::reals<double>(rows * columns, 35, 0, 1);
        check::DeviceBuffer<double> din(in), dsums(rows);
        reduce_double_sums<<<rows, 256, 256 * sizeof(double)>>>(columns, din, dsums);
        std::vector<double> sums(rows);
        for (int i = 0; i < rows * columns; ++i) {
            sums[i / columns] += in[i];
        }
        check::approximate("reduce_double_sums", dsums.to_host(), sums, 1e-12, 0);
    }
    return check::finish();
}
