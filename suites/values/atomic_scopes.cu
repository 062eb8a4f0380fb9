// Scoped atomics and libcu++: block and system scopes, cuda::atomic, atomic_ref, release and acquire, semaphores, latches.
#include "support/check.cuh"

#include <cuda/atomic>
#include <cuda/latch>
#include <cuda/semaphore>

// Latches and semaphores in shared memory have constructors that never run; placement new does their work.
#pragma nv_diag_suppress static_var_with_dynamic_init

__global__ void block_and_system_scopes(const int *in, int *global_cells, int *block_sums) {
    __shared__ int cells[4];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < 4) {
        cells[threadIdx.x] = threadIdx.x == 1 ? 0x7FFFFFFF : 0;
    }
    __syncthreads();
    atomicAdd_block(&cells[0], in[i]);
    atomicMin_block(&cells[1], in[i]);
    atomicMax_block(&cells[2], in[i]);
    atomicXor_block(&cells[3], in[i]);
    atomicAdd_system(&global_cells[0], in[i]);
    atomicMax_system(&global_cells[1], in[i]);
    atomicOr_system(&global_cells[2], in[i]);
    int old = 0, assumed;
    do {
        assumed = old;
        old = atomicCAS_system(&global_cells[3], assumed, assumed + 3);
    } while (old != assumed);
    __syncthreads();
    if (threadIdx.x < 4) {
        block_sums[blockIdx.x * 4 + threadIdx.x] = cells[threadIdx.x];
    }
}

__global__ void atomic_ref_operations(int n, const int *in, int *ints, unsigned long long *words, float *floats) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        cuda::atomic_ref<int, cuda::thread_scope_device> sum(ints[0]), difference(ints[1]), least(ints[2]), most(ints[3]);
        cuda::atomic_ref<int, cuda::thread_scope_system> ands(ints[4]), ors(ints[5]), xors(ints[6]);
        cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> wide(words[0]), squares(words[1]);
        cuda::atomic_ref<float, cuda::thread_scope_device> total(floats[0]);
        sum.fetch_add(in[i], cuda::memory_order_relaxed);
        difference -= in[i];
        least.fetch_min(in[i], cuda::memory_order_relaxed);
        most.fetch_max(in[i], cuda::memory_order_acq_rel);
        ands.fetch_and(in[i] | 0x100, cuda::memory_order_release);
        ors.fetch_or(in[i], cuda::memory_order_acquire);
        xors.fetch_xor(in[i], cuda::memory_order_seq_cst);
        wide.fetch_add(static_cast<unsigned long long>(in[i]) << 20, cuda::memory_order_relaxed);
        unsigned long long old = squares.load(cuda::memory_order_relaxed);
        while (!squares.compare_exchange_weak(old, old + static_cast<unsigned long long>(in[i]) * in[i],
                                              cuda::memory_order_acq_rel, cuda::memory_order_relaxed)) {
        }
        total.fetch_add(static_cast<float>(in[i] & 15), cuda::memory_order_relaxed);
    }
}

struct __align__(16) WidePair {
    unsigned long long low, high;
};

// Objects of 8, 16, 32 and 128 bits; the narrow ones share a word with their neighbours. Products of odd numbers commute,
// and the 128 bits are only exchanged: both halves must come from the same thread.
__global__ void atomic_ref_widths(int n, const int *in, unsigned char *bytes, unsigned short *shorts, unsigned *words,
                                  WidePair *wide, unsigned long long *sums) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        cuda::atomic_ref<unsigned char, cuda::thread_scope_device> byte(bytes[i % 7]);
        cuda::atomic_ref<unsigned short, cuda::thread_scope_device> narrow(shorts[i % 5]);
        cuda::atomic_ref<unsigned, cuda::thread_scope_device> word(words[i % 3]);
        byte.fetch_add(static_cast<unsigned char>(in[i]), cuda::memory_order_relaxed);
        unsigned short old = narrow.load(cuda::memory_order_relaxed);
        while (!narrow.compare_exchange_weak(old, static_cast<unsigned short>(old * (in[i] | 1)), cuda::memory_order_relaxed)) {
        }
        unsigned seen = word.load(cuda::memory_order_acquire);
        while (!word.compare_exchange_strong(seen, seen * (in[i] | 1u), cuda::memory_order_acq_rel)) {
        }
        unsigned long long value = static_cast<unsigned long long>(in[i]) + 1;
        WidePair before = atomicExch(&wide[0], WidePair{value, value * 3});
        atomicAdd(&sums[0], before.low);
        atomicAdd(&sums[1], before.high - before.low * 3);
    }
}

// Thread 0 publishes plain data by a release; all other threads of the block acquire it.
__global__ void release_and_acquire(int rounds, int *out) {
    __shared__ cuda::atomic<int, cuda::thread_scope_block> flag;
    __shared__ int message[32];
    if (threadIdx.x == 0) {
        new (&flag) cuda::atomic<int, cuda::thread_scope_block>(0);
    }
    __syncthreads();
    int sum = 0;
    for (int round = 1; round <= rounds; ++round) {
        if (threadIdx.x == 0) {
            for (int k = 0; k < 32; ++k) {
                message[k] = round * k + static_cast<int>(blockIdx.x);
            }
            flag.store(round, cuda::memory_order_release);
        } else {
            while (flag.load(cuda::memory_order_acquire) != round) {
            }
        }
        sum += threadIdx.x == 0 ? 0 : message[threadIdx.x % 32];
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__device__ int guarded_total;

// At most two warps at a time hold the semaphore; the total changes by atomics, the entry count checks the limit.
__global__ void semaphore_limits_entry(int *results) {
    __shared__ cuda::counting_semaphore<cuda::thread_scope_block, 2> semaphore;
    __shared__ int inside, most;
    if (threadIdx.x == 0) {
        new (&semaphore) cuda::counting_semaphore<cuda::thread_scope_block, 2>(2);
        inside = 0;
        most = 0;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        semaphore.acquire();
        int now = atomicAdd(&inside, 1) + 1;
        atomicMax(&most, now);
        atomicAdd(&guarded_total, static_cast<int>(threadIdx.x));
        atomicSub(&inside, 1);
        semaphore.release();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        results[blockIdx.x] = inside == 0 && most >= 1 && most <= 2;
    }
}

// A binary semaphore is a lock: the plain counter behind it never loses a step.
__global__ void binary_semaphore_as_lock(int *results) {
    __shared__ cuda::binary_semaphore<cuda::thread_scope_block> lock;
    __shared__ int counter;
    if (threadIdx.x == 0) {
        new (&lock) cuda::binary_semaphore<cuda::thread_scope_block>(1);
        counter = 0;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 7) {
        for (int k = 0; k < 10; ++k) {
            lock.acquire();
            counter = counter + static_cast<int>(threadIdx.x / 32) + 1;
            lock.release();
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        results[blockIdx.x] = counter;
    }
}

__global__ void latch_counts_down(const int *in, int *out) {
    using Latch = cuda::latch<cuda::thread_scope_block>;
    __shared__ __align__(16) unsigned char memory[sizeof(Latch)];
    __shared__ int values[128];
    Latch &latch = *reinterpret_cast<Latch *>(memory);
    if (threadIdx.x == 0) {
        new (memory) Latch(128);
    }
    __syncthreads();
    values[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
    latch.count_down();
    if (threadIdx.x < 32) {
        latch.wait();
        int sum = 0;
        for (int k = threadIdx.x; k < 128; k += 32) {
            sum = sum * 2 + values[k];
        }
        out[blockIdx.x * 32 + threadIdx.x] = sum;
    }
    __syncthreads();
}

int main() {
    const int n = 128 * 10;
    auto in = check::integers<int>(n, 361, 0, 9999);
    check::DeviceBuffer<int> din(in);
    {
        check::DeviceBuffer<int> dcells(4), dsums(40);
        block_and_system_scopes<<<10, 128>>>(din, dcells, dsums);
        std::vector<int> cells(4), sums(40);
        for (int i = 0; i < n; ++i) {
            int *s = &sums[i / 128 * 4];
            s[1] = i % 128 == 0 ? 0x7FFFFFFF : s[1];
            s[0] += in[i];
            s[1] = in[i] < s[1] ? in[i] : s[1];
            s[2] = in[i] > s[2] ? in[i] : s[2];
            s[3] ^= in[i];
            cells[0] += in[i];
            cells[1] = in[i] > cells[1] ? in[i] : cells[1];
            cells[2] |= in[i];
            cells[3] += 3;
        }
        check::exact("block_and_system_scopes", dsums.to_host(), sums);
        check::exact("block_and_system_scopes_global", dcells.to_host(), cells);
    }
    {
        std::vector<int> ints{0, 0, 1 << 30, 0, -1, 0, 0};
        std::vector<unsigned long long> words(2);
        std::vector<float> floats(1);
        check::DeviceBuffer<int> dints(ints);
        check::DeviceBuffer<unsigned long long> dwords(words);
        check::DeviceBuffer<float> dfloats(floats);
        atomic_ref_operations<<<10, 128>>>(n, din, dints, dwords, dfloats);
        for (int v : in) {
            ints[0] += v;
            ints[1] -= v;
            ints[2] = v < ints[2] ? v : ints[2];
            ints[3] = v > ints[3] ? v : ints[3];
            ints[4] &= v | 0x100;
            ints[5] |= v;
            ints[6] ^= v;
            words[0] += static_cast<unsigned long long>(v) << 20;
            words[1] += static_cast<unsigned long long>(v) * v;
            floats[0] += static_cast<float>(v & 15);
        }
        check::exact("atomic_ref_operations_ints", dints.to_host(), ints);
        check::exact("atomic_ref_operations_words", dwords.to_host(), words);
        check::exact("atomic_ref_operations_floats", dfloats.to_host(), floats);
    }
    {
        check::DeviceBuffer<unsigned char> dbytes(8);
        check::DeviceBuffer<unsigned short> dshorts(std::vector<unsigned short>(6, 1));
        check::DeviceBuffer<unsigned> dwords(std::vector<unsigned>(3, 1));
        check::DeviceBuffer<WidePair> dwide(1);
        check::DeviceBuffer<unsigned long long> dsums(2);
        atomic_ref_widths<<<10, 128>>>(n, din, dbytes, dshorts, dwords, dwide, dsums);
        std::vector<unsigned char> bytes(8);
        std::vector<unsigned short> shorts(6, 1);
        std::vector<unsigned> words(3, 1);
        unsigned long long total = 0;
        for (int i = 0; i < n; ++i) {
            bytes[i % 7] = static_cast<unsigned char>(bytes[i % 7] + in[i]);
            shorts[i % 5] = static_cast<unsigned short>(shorts[i % 5] * (in[i] | 1));
            words[i % 3] *= in[i] | 1u;
            total += static_cast<unsigned long long>(in[i]) + 1;
        }
        check::exact("atomic_ref_widths_8", dbytes.to_host(), bytes);
        check::exact("atomic_ref_widths_16", dshorts.to_host(), shorts);
        check::exact("atomic_ref_widths_32", dwords.to_host(), words);
        // The pair that was exchanged last is still in its place.
        WidePair last = dwide.to_host()[0];
        auto sums = dsums.to_host();
        check::exact("atomic_ref_widths_128",
                     std::vector<unsigned long long>{sums[0] + last.low, sums[1] + (last.high - last.low * 3)},
                     std::vector<unsigned long long>{total, 0});
    }
    {
        const int rounds = 6;
        check::DeviceBuffer<int> dout(4 * 64);
        release_and_acquire<<<4, 64>>>(rounds, dout);
        std::vector<int> out(4 * 64);
        for (int i = 0; i < 4 * 64; ++i) {
            for (int round = 1; round <= rounds; ++round) {
                out[i] += i % 64 == 0 ? 0 : round * (i % 64 % 32) + i / 64;
            }
        }
        check::exact("release_and_acquire", dout.to_host(), out);
    }
    {
        check::DeviceBuffer<int> dresults(6);
        semaphore_limits_entry<<<6, 256>>>(dresults);
        check::exact("semaphore_limits_entry", dresults.to_host(), std::vector<int>(6, 1));
    }
    {
        check::DeviceBuffer<int> dresults(6);
        binary_semaphore_as_lock<<<6, 128>>>(dresults);
        check::exact("binary_semaphore_as_lock", dresults.to_host(), std::vector<int>(6, 100));
    }
    {
        check::DeviceBuffer<int> dout(10 * 32);
        latch_counts_down<<<10, 128>>>(din, dout);
        std::vector<int> out(10 * 32);
        for (int i = 0; i < 10 * 32; ++i) {
            for (int k = i % 32; k < 128; k += 32) {
                out[i] = out[i] * 2 + in[i / 32 * 128 + k];
            }
        }
        check::exact("latch_counts_down", dout.to_host(), out);
    }
    return check::finish();
}
