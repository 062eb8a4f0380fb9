// Inclusive sums in three launches: every block scans its part, one block scans the sums of the parts, and
// every block adds what stands before it. A block has 256 threads with 8 elements each.

#define THREADS 256

/// The inclusive scan of one value per thread; for a block of at most 1024 threads.
__device__ unsigned scan_of_block(unsigned value, unsigned *sums_of_warps) {
    unsigned lane = threadIdx.x & 31u;
    unsigned warp = threadIdx.x >> 5;
    for (unsigned distance = 1; distance < 32; distance *= 2) {
        unsigned other = __shfl_up_sync(0xffffffffu, value, distance);
        if (lane >= distance) {
            value += other;
        }
    }
    if (lane == 31) {
        sums_of_warps[warp] = value;
    }
    __syncthreads();
    if (warp == 0) {
        unsigned sum = lane < blockDim.x / 32 ? sums_of_warps[lane] : 0u;
        for (unsigned distance = 1; distance < 32; distance *= 2) {
            unsigned other = __shfl_up_sync(0xffffffffu, sum, distance);
            if (lane >= distance) {
                sum += other;
            }
        }
        sums_of_warps[lane] = sum;
    }
    __syncthreads();
    return warp == 0 ? value : value + sums_of_warps[warp - 1];
}

extern "C" __global__ void scan_parts(const uint4 *in, uint4 *out, unsigned *sums) {
    __shared__ unsigned sums_of_warps[32];
    unsigned i = 2 * (blockIdx.x * THREADS + threadIdx.x);
    uint4 low = in[i], high = in[i + 1];
    low.y += low.x;
    low.z += low.y;
    low.w += low.z;
    high.x += low.w;
    high.y += high.x;
    high.z += high.y;
    high.w += high.z;
    unsigned inclusive = scan_of_block(high.w, sums_of_warps);
    unsigned before = inclusive - high.w;
    out[i] = make_uint4(low.x + before, low.y + before, low.z + before, low.w + before);
    out[i + 1] = make_uint4(high.x + before, high.y + before, high.z + before, high.w + before);
    if (threadIdx.x == THREADS - 1) {
        sums[blockIdx.x] = inclusive;
    }
}

/// One block with a thread for every part.
extern "C" __global__ void scan_sums(unsigned *sums) {
    __shared__ unsigned sums_of_warps[32];
    sums[threadIdx.x] = scan_of_block(sums[threadIdx.x], sums_of_warps);
}

extern "C" __global__ void add_sums(uint4 *out, const unsigned *sums) {
    if (blockIdx.x == 0) {
        return;
    }
    unsigned before = sums[blockIdx.x - 1];
    unsigned i = 2 * (blockIdx.x * THREADS + threadIdx.x);
    uint4 low = out[i], high = out[i + 1];
    out[i] = make_uint4(low.x + before, low.y + before, low.z + before, low.w + before);
    out[i + 1] = make_uint4(high.x + before, high.y + before, high.z + before, high.w + before);
}
