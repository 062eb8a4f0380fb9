// Prefix sums: Hillis-Steele, Blelloch, warp shuffles in three launches, decoupled look-back, segmented.
#include "support/check.cuh"

__global__ void scan_hillis_steele(const int *in, int *out) {
    __shared__ int buffers[2][512];
    int base = blockIdx.x * 512;
    int now = 0;
    buffers[0][threadIdx.x] = in[base + threadIdx.x];
    for (int distance = 1; distance < 512; distance *= 2) {
        __syncthreads();
        int value = buffers[now][threadIdx.x];
        if (threadIdx.x >= distance) {
            value += buffers[now][threadIdx.x - distance];
        }
        now = 1 - now;
        buffers[now][threadIdx.x] = value;
    }
    out[base + threadIdx.x] = buffers[now][threadIdx.x];
}

__global__ void scan_blelloch_exclusive(const unsigned *in, unsigned *out) {
    __shared__ unsigned tree[512];
    int base = blockIdx.x * 512, t = threadIdx.x;
    tree[2 * t] = in[base + 2 * t];
    tree[2 * t + 1] = in[base + 2 * t + 1];
    int stride = 1;
    for (int active = 256; active > 0; active /= 2) {
        __syncthreads();
        if (t < active) {
            tree[stride * (2 * t + 2) - 1] += tree[stride * (2 * t + 1) - 1];
        }
        stride *= 2;
    }
    if (t == 0) {
        tree[511] = 0;
    }
    for (int active = 1; active < 512; active *= 2) {
        stride /= 2;
        __syncthreads();
        if (t < active) {
            int left = stride * (2 * t + 1) - 1, right = stride * (2 * t + 2) - 1;
            unsigned value = tree[left];
            tree[left] = tree[right];
            tree[right] += value;
        }
    }
    __syncthreads();
    out[base + 2 * t] = tree[2 * t];
    out[base + 2 * t + 1] = tree[2 * t + 1];
}

__device__ long long scan_block_of_256(long long value, long long *warp_totals) {
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int offset = 1; offset < 32; offset *= 2) {
        long long other = __shfl_up_sync(0xFFFFFFFFu, value, offset);
        if (lane >= offset) {
            value += other;
        }
    }
    if (lane == 31) {
        warp_totals[warp] = value;
    }
    __syncthreads();
    long long before = 0;
    for (int w = 0; w < warp; ++w) {
        before += warp_totals[w];
    }
    __syncthreads();
    return value + before;
}

__global__ void scan_shuffle_blocks(int n, const long long *in, long long *out, long long *totals) {
    __shared__ long long warp_totals[8];
    int i = blockIdx.x * 256 + threadIdx.x;
    long long value = scan_block_of_256(i < n ? in[i] : 0, warp_totals);
    if (i < n) {
        out[i] = value;
    }
    if (totals != nullptr && threadIdx.x == 255) {
        totals[blockIdx.x] = value;
    }
}

__global__ void scan_add_block_totals(int n, const long long *scanned_totals, long long *out) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (blockIdx.x > 0 && i < n) {
        out[i] += scanned_totals[blockIdx.x - 1];
    }
}

// One pass over the data: a block publishes its sum, then its inclusive prefix, as one word with a state in the top
// bits (1: sum of the block, 2: prefix), and adds up the words of its predecessors until it meets a prefix.
__global__ void scan_look_back(int n, const unsigned *in, unsigned *out, unsigned *ticket, unsigned long long *states) {
    __shared__ long long warp_totals[8];
    __shared__ unsigned tile, exclusive;
    if (threadIdx.x == 0) {
        tile = atomicAdd(ticket, 1u);
    }
    __syncthreads();
    int i = tile * 256 + threadIdx.x;
    unsigned value = static_cast<unsigned>(scan_block_of_256(i < n ? in[i] : 0, warp_totals));
    if (threadIdx.x == 255) {
        unsigned sum = 0;
        if (tile == 0) {
            atomicExch(&states[0], (2ull << 62) | value);
        } else {
            atomicExch(&states[tile], (1ull << 62) | value);
            int look = static_cast<int>(tile) - 1;
            while (true) {
                unsigned long long word = atomicAdd(&states[look], 0ull);
                if (word >> 62 == 0) {
                    continue;
                }
                sum += static_cast<unsigned>(word);
                if (word >> 62 == 2) {
                    break;
                }
                --look;
            }
            atomicExch(&states[tile], (2ull << 62) | static_cast<unsigned>(sum + value));
        }
        exclusive = sum;
    }
    __syncthreads();
    if (i < n) {
        out[i] = value + exclusive;
    }
}

__global__ void scan_segmented_warps(int n, const int *in, const unsigned char *head, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    int value = i < n ? in[i] : 0;
    unsigned heads = __ballot_sync(0xFFFFFFFFu, i < n && head[i]);
    unsigned below = heads & (0xFFFFFFFFu >> (31 - lane));
    int start = below == 0 ? 0 : 31 - __clz(static_cast<int>(below));
    for (int offset = 1; offset < 32; offset *= 2) {
        int other = __shfl_up_sync(0xFFFFFFFFu, value, offset);
        if (lane - offset >= start) {
            value += other;
        }
    }
    if (i < n) {
        out[i] = value;
    }
}

int main() {
    {
        const int n = 512 * 20;
        auto in = check::integers<int>(n, 41, -1000, 1000);
        check::DeviceBuffer<int> din(in), dout(n);
        scan_hillis_steele<<<n / 512, 512>>>(din, dout);
        std::vector<int> out(n);
        for (int i = 0; i < n; ++i) {
            out[i] = in[i] + (i % 512 ? out[i - 1] : 0);
        }
        check::exact("scan_hillis_steele", dout.to_host(), out);
    }
    {
        const int n = 512 * 20;
        auto in = check::patterns<unsigned>(n, 42);
        check::DeviceBuffer<unsigned> din(in), dout(n);
        scan_blelloch_exclusive<<<n / 512, 256>>>(din, dout);
        std::vector<unsigned> out(n);
        for (int i = 0; i < n; ++i) {
            out[i] = i % 512 ? out[i - 1] + in[i - 1] : 0;
        }
        check::exact("scan_blelloch_exclusive", dout.to_host(), out);
    }
    {
        const int n = 60001, blocks = (n + 255) / 256;
        auto in = check::integers<long long>(n, 43, -4000000000ll, 4000000000ll);
        check::DeviceBuffer<long long> din(in), dout(n), totals(blocks), scanned(blocks);
        scan_shuffle_blocks<<<blocks, 256>>>(n, din, dout, totals);
        scan_shuffle_blocks<<<1, 256>>>(blocks, totals, scanned, nullptr);
        scan_add_block_totals<<<blocks, 256>>>(n, scanned, dout);
        std::vector<long long> out(n);
        for (int i = 0; i < n; ++i) {
            out[i] = in[i] + (i ? out[i - 1] : 0);
        }
        check::exact("scan_shuffle_blocks", dout.to_host(), out);
    }
    {
        const int n = 60001, blocks = (n + 255) / 256;
        auto in = check::integers<unsigned>(n, 44, 0, 100000);
        check::DeviceBuffer<unsigned> din(in), dout(n), ticket(1);
        check::DeviceBuffer<unsigned long long> states(blocks);
        scan_look_back<<<blocks, 256>>>(n, din, dout, ticket, states);
        std::vector<unsigned> out(n);
        for (int i = 0; i < n; ++i) {
            out[i] = in[i] + (i ? out[i - 1] : 0);
        }
        check::exact("scan_look_back", dout.to_host(), out);
    }
    {
        const int n = 20011;
        auto in = check::integers<int>(n, 45, -99, 99);
        auto head = check::integers<unsigned char>(n, 46, 0, 8);
        for (auto &h : head) {
            h = h == 0;
        }
        check::DeviceBuffer<int> din(in), dout(n);
        check::DeviceBuffer<unsigned char> dhead(head);
        scan_segmented_warps<<<(n + 127) / 128, 128>>>(n, din, dhead, dout);
        std::vector<int> out(n);
        for (int i = 0; i < n; ++i) {
            out[i] = in[i] + (head[i] || i % 32 == 0 ? 0 : out[i - 1]);
        }
        check::exact("scan_segmented_warps", dout.to_host(), out);
    }
    return check::finish();
}
