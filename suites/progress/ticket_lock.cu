// A ticket lock: every thread of several blocks draws a number and waits until it is called, in the order of the numbers.
#include "../values/support/check.cuh"

#include <cuda/atomic>

using Counter = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

__global__ void ticket_lock_for_all_threads(unsigned *next, unsigned *serving, unsigned *total, unsigned *order) {
    unsigned ticket = Counter(*next).fetch_add(1, cuda::memory_order_relaxed);
    while (Counter(*serving).load(cuda::memory_order_acquire) != ticket) {
    }
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    *total += thread + 1;
    order[ticket] = *total;
    Counter(*serving).store(ticket + 1, cuda::memory_order_release);
}

// One lane of each warp takes part, several times, with a short pause between looks.
__global__ void ticket_lock_for_warps(int rounds, unsigned *next, unsigned *serving, unsigned *total) {
    if (threadIdx.x % 32 == 3) {
        for (int round = 0; round < rounds; ++round) {
            unsigned ticket = atomicAdd(next, 1u);
            while (Counter(*serving).load(cuda::memory_order_acquire) != ticket) {
                __nanosleep(40);
            }
            *total += ticket;
            Counter(*serving).store(ticket + 1, cuda::memory_order_release);
        }
    }
}

int main() {
    {
        const unsigned threads = 4 * 32;
        check::DeviceBuffer<unsigned> next(1), serving(1), total(1), order(threads);
        ticket_lock_for_all_threads<<<4, 32>>>(next, serving, total, order);
        // Who holds which ticket is free, but the running totals grow and end at the sum.
        auto got = order.to_host();
        std::vector<unsigned> summary{1, total.to_host()[0], serving.to_host()[0]};
        for (unsigned i = 1; i < threads; ++i) {
            summary[0] = summary[0] && got[i] > got[i - 1];
        }
        check::exact("ticket_lock_for_all_threads", summary,
                     std::vector<unsigned>{1, threads * (threads + 1) / 2, threads});
    }
    {
        const unsigned holders = 4 * 4 * 5;
        check::DeviceBuffer<unsigned> next(1), serving(1), total(1);
        ticket_lock_for_warps<<<4, 128>>>(5, next, serving, total);
        check::exact("ticket_lock_for_warps", total.to_host(), std::vector<unsigned>{holders * (holders - 1) / 2});
    }
    return check::finish();
}
