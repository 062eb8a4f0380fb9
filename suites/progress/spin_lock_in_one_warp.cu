// A spin lock that all lanes of one warp take: a plain loop, a loop with a flag, an if with an empty else.
#include "../values/support/check.cuh"

#include <cuda/atomic>

using Word = cuda::atomic_ref<int, cuda::thread_scope_device>;

// Lanes that lost wait in the loop while the winner is behind it: only independent scheduling ends this.
__global__ void lock_by_plain_loop(int rounds, int *lock, int *counter) {
    Word word(*lock);
    for (int round = 0; round < rounds; ++round) {
        while (word.exchange(1, cuda::memory_order_acquire) != 0) {
        }
        *counter = *counter + static_cast<int>(threadIdx.x) + 1;
        word.store(0, cuda::memory_order_release);
    }
}

// The critical section stands inside the loop, as programs for older devices had to be written.
__global__ void lock_by_flag_loop(int *lock, int *counter) {
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            *counter += static_cast<int>(threadIdx.x) + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

// Every lane uses the lock of its neighbourhood, and the losers back off.
__global__ void lock_with_back_off(int rounds, int *locks, int *counters) {
    int cell = threadIdx.x % 4;
    for (int round = 0; round < rounds;) {
        int expected = 0;
        if (Word(locks[cell]).compare_exchange_strong(expected, 1, cuda::memory_order_acquire, cuda::memory_order_relaxed)) {
            counters[cell] += static_cast<int>(threadIdx.x) * (round + 1);
            Word(locks[cell]).store(0, cuda::memory_order_release);
            ++round;
        } else {
            __nanosleep(20);
        }
    }
}

int main() {
    {
        check::DeviceBuffer<int> lock(1), counter(1);
        lock_by_plain_loop<<<1, 32>>>(5, lock, counter);
        check::exact("lock_by_plain_loop", counter.to_host(), std::vector<int>{5 * 528});
    }
    {
        check::DeviceBuffer<int> lock(1), counter(1);
        lock_by_flag_loop<<<3, 64>>>(lock, counter);
        check::exact("lock_by_flag_loop", counter.to_host(), std::vector<int>{3 * 64 * 65 / 2});
    }
    {
        check::DeviceBuffer<int> locks(4), counters(4);
        lock_with_back_off<<<1, 64>>>(3, locks, counters);
        std::vector<int> expected(4);
        for (int t = 0; t < 64; ++t) {
            expected[t % 4] += t * 6;
        }
        check::exact("lock_with_back_off", counters.to_host(), expected);
    }
    return check::finish();
}
