// Sorting networks: bitonic in shared and in global memory, odd-even transposition, Batcher's odd-even merge.
#include "support/check.cuh"

#include <algorithm>

template <typename T> __device__ void order(T &a, T &b, bool ascending) {
    if ((a > b) == ascending) {
        T t = a;
        a = b;
        b = t;
    }
}

__global__ void sort_bitonic_shared(const int *in, int *out) {
    __shared__ int keys[1024];
    int t = threadIdx.x;
    in += blockIdx.x * 1024;
    out += blockIdx.x * 1024;
    keys[t] = in[t];
    keys[t + 512] = in[t + 512];
    for (int size = 2; size <= 1024; size *= 2) {
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            int low = 2 * t - (t & (stride - 1));
            order(keys[low], keys[low + stride], (low & size) == 0);
        }
    }
    __syncthreads();
    out[t] = keys[t];
    out[t + 512] = keys[t + 512];
}

__global__ void sort_bitonic_global_step(int size, int stride, double *keys) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int low = 2 * t - (t & (stride - 1));
    order(keys[low], keys[low + stride], (low & size) == 0);
}

__global__ void sort_odd_even_transposition(int n, unsigned short *keys) {
    extern __shared__ unsigned short line[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        line[i] = keys[blockIdx.x * n + i];
    }
    for (int round = 0; round < n; ++round) {
        __syncthreads();
        int i = 2 * threadIdx.x + (round & 1);
        if (i + 1 < n) {
            order(line[i], line[i + 1], true);
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        keys[blockIdx.x * n + i] = line[i];
    }
}

// Pairs travel together; the key is the upper half of a word, so that equal keys keep their order.
__global__ void sort_odd_even_merge(unsigned long long *pairs) {
    __shared__ unsigned long long word[512];
    int t = threadIdx.x;
    pairs += blockIdx.x * 512;
    word[t] = pairs[t];
    word[t + 256] = pairs[t + 256];
    for (int p = 1; p < 512; p *= 2) {
        for (int k = p; k > 0; k /= 2) {
            __syncthreads();
            int start = k % p;
            for (int i = t; i < 512; i += 256) {
                if (i >= start && (i - start) / k % 2 == 0 && i + k < 512 && i / (2 * p) == (i + k) / (2 * p)) {
                    order(word[i], word[i + k], true);
                }
            }
        }
    }
    __syncthreads();
    pairs[t] = word[t];
    pairs[t + 256] = word[t + 256];
}

// Each warp sorts 32 keys in registers.
__global__ void sort_bitonic_in_warp(float *keys) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    float key = keys[i];
    for (int size = 2; size <= 32; size *= 2) {
        for (int stride = size / 2; stride > 0; stride /= 2) {
            float other = __shfl_xor_sync(0xFFFFFFFFu, key, stride);
            bool keep_smaller = ((lane & stride) == 0) == ((lane & size) == 0);
            key = keep_smaller ? fminf(key, other) : fmaxf(key, other);
        }
    }
    keys[i] = key;
}

int main() {
    {
        const int n = 1024 * 8;
        auto keys = check::patterns<int>(n, 51);
        check::DeviceBuffer<int> din(keys), dout(n);
        sort_bitonic_shared<<<8, 512>>>(din, dout);
        for (int i = 0; i < n; i += 1024) {
            std::sort(keys.begin() + i, keys.begin() + i + 1024);
        }
        check::exact("sort_bitonic_shared", dout.to_host(), keys);
    }
    {
        const int n = 8192;
        auto keys = check::reals<double>(n, 52, -1e6, 1e6);
        check::DeviceBuffer<double> dkeys(keys);
        for (int size = 2; size <= n; size *= 2) {
            for (int stride = size / 2; stride > 0; stride /= 2) {
                sort_bitonic_global_step<<<n / 2 / 256, 256>>>(size, stride, dkeys);
            }
        }
        std::sort(keys.begin(), keys.end());
        check::exact("sort_bitonic_global_step", dkeys.to_host(), keys);
    }
    {
        const int n = 301, rows = 6;
        auto keys = check::patterns<unsigned short>(n * rows, 53);
        check::DeviceBuffer<unsigned short> dkeys(keys);
        sort_odd_even_transposition<<<rows, 160, n * sizeof(unsigned short)>>>(n, dkeys);
        for (int row = 0; row < rows; ++row) {
            std::sort(keys.begin() + row * n, keys.begin() + (row + 1) * n);
        }
        check::exact("sort_odd_even_transposition", dkeys.to_host(), keys);
    }
    {
        const int n = 512 * 6;
        auto pairs = check::integers<unsigned long long>(n, 54, 0, 40);
        for (int i = 0; i < n; ++i) {
            pairs[i] = pairs[i] << 32 | i;
        }
        check::DeviceBuffer<unsigned long long> dpairs(pairs);
        sort_odd_even_merge<<<6, 256>>>(dpairs);
        for (int i = 0; i < n; i += 512) {
            std::sort(pairs.begin() + i, pairs.begin() + i + 512);
        }
        check::exact("sort_odd_even_merge", dpairs.to_host(), pairs);
    }
    {
        const int n = 128 * 40;
        auto keys = check::reals<float>(n, 55, -10, 10);
        check::DeviceBuffer<float> dkeys(keys);
        sort_bitonic_in_warp<<<40, 128>>>(dkeys);
        for (int i = 0; i < n; i += 32) {
            std::sort(keys.begin() + i, keys.begin() + i + 32);
        }
        check::exact("sort_bitonic_in_warp", dkeys.to_host(), keys);
    }
    return check::finish();
}
