// Histograms: global and shared atomics, one copy for each warp, votes by match, and a weighted plane of bins.
#include "support/check.cuh"

__global__ void histogram_global_atomics(int n, const unsigned char *in, unsigned *bins) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&bins[in[i]], 1u);
    }
}

__global__ void histogram_shared_atomics(int n, const unsigned *packed, unsigned *bins) {
    __shared__ unsigned counts[256];
    counts[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        unsigned word = packed[i];
        for (int byte = 0; byte < 4; ++byte) {
            atomicAdd(&counts[(word >> (8 * byte)) & 255], 1u);
        }
    }
    __syncthreads();
    if (counts[threadIdx.x] != 0) {
        atomicAdd(&bins[threadIdx.x], counts[threadIdx.x]);
    }
}

__global__ void histogram_copy_for_each_warp(int n, const int *in, int *bins) {
    __shared__ int copies[4][64];
    int *mine = copies[threadIdx.x / 32];
    for (int b = threadIdx.x % 32; b < 64; b += 32) {
        mine[b] = 0;
    }
    __syncwarp();
    for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) {
        atomicAdd_block(&mine[in[i] & 63], 1);
    }
    __syncthreads();
    if (threadIdx.x < 64) {
        int sum = 0;
        for (int c = 0; c < 4; ++c) {
            sum += copies[c][threadIdx.x];
        }
        atomicAdd(&bins[threadIdx.x], sum);
    }
}

__global__ void histogram_by_match(int n, const int *in, int *bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned inside = __ballot_sync(0xFFFFFFFFu, i < n);
    if (i < n) {
        unsigned equal = __match_any_sync(inside, in[i]);
        if (threadIdx.x % 32 == __ffs(static_cast<int>(equal)) - 1) {
            atomicAdd(&bins[in[i]], __popc(equal));
        }
    }
}

__global__ void histogram_weighted_plane(int n, const float2 *points, const float *weights, float *bins) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float2 p = points[i];
        int x = min(31, max(0, static_cast<int>(floorf(p.x * 32.0f))));
        int y = min(31, max(0, static_cast<int>(floorf(p.y * 32.0f))));
        atomicAdd(&bins[y * 32 + x], weights[i]);
    }
}

int main() {
    {
        const int n = 30000;
        auto in = check::patterns<unsigned char>(n, 71);
        check::DeviceBuffer<unsigned char> din(in);
        check::DeviceBuffer<unsigned> dbins(256);
        histogram_global_atomics<<<20, 128>>>(n, din, dbins);
        std::vector<unsigned> bins(256);
        for (auto v : in) {
            ++bins[v];
        }
        check::exact("histogram_global_atomics", dbins.to_host(), bins);
    }
    {
        const int n = 20000;
        auto in = check::patterns<unsigned>(n, 72);
        check::DeviceBuffer<unsigned> din(in), dbins(256);
        histogram_shared_atomics<<<12, 256>>>(n, din, dbins);
        std::vector<unsigned> bins(256);
        for (auto v : in) {
            for (int byte = 0; byte < 4; ++byte) {
                ++bins[(v >> (8 * byte)) & 255];
            }
        }
        check::exact("histogram_shared_atomics", dbins.to_host(), bins);
    }
    {
        const int n = 30001;
        auto in = check::patterns<int>(n, 73);
        check::DeviceBuffer<int> din(in), dbins(64);
        histogram_copy_for_each_warp<<<15, 128>>>(n, din, dbins);
        std::vector<int> bins(64);
        for (auto v : in) {
            ++bins[v & 63];
        }
        check::exact("histogram_copy_for_each_warp", dbins.to_host(), bins);
    }
    {
        const int n = 20001;
        auto in = check::integers<int>(n, 74, 0, 9);
        check::DeviceBuffer<int> din(in), dbins(10);
        histogram_by_match<<<(n + 127) / 128, 128>>>(n, din, dbins);
        std::vector<int> bins(10);
        for (auto v : in) {
            ++bins[v];
        }
        check::exact("histogram_by_match", dbins.to_host(), bins);
    }
    {
        // Whole weights with small sums: the order of the additions cannot show.
        const int n = 20000;
        auto coordinates = check::reals<float>(2 * n, 75, -0.1, 1.1);
        auto weights = check::integers<float>(n, 76, 1, 100);
        check::DeviceBuffer<float> dcoordinates(coordinates), dweights(weights), dbins(1024);
        histogram_weighted_plane<<<10, 256>>>(n, reinterpret_cast<float2 *>((float *)dcoordinates), dweights, dbins);
        std::vector<float> bins(1024);
        auto bin = [](float c) {
            int b = static_cast<int>(std::floor(c * 32.0f));
            return b < 0 ? 0 : b > 31 ? 31 : b;
        };
        for (int i = 0; i < n; ++i) {
            bins[bin(coordinates[2 * i + 1]) * 32 + bin(coordinates[2 * i])] += weights[i];
        }
        check::exact("histogram_weighted_plane", dbins.to_host(), bins);
    }
    return check::finish();
}
