// Device functions that call themselves: N queens, Fibonacci, Ackermann, quicksort, towers of Hanoi, mutual recursion.
#include "support/check.cuh"

#include <algorithm>

__host__ __device__ int queens(int size, unsigned columns, unsigned left, unsigned right) {
    unsigned all = (1u << size) - 1;
    if (columns == all) {
        return 1;
    }
    int solutions = 0;
    for (unsigned free = all & ~(columns | left | right); free != 0; free &= free - 1) {
        unsigned queen = free & (0u - free);
        solutions += queens(size, columns | queen, (left | queen) << 1, (right | queen) >> 1);
    }
    return solutions;
}

// A thread for each placement of the first two queens.
__global__ void queens_recursive(int size, int *solutions) {
    int first = threadIdx.x / size, second = threadIdx.x % size;
    if (first < size && abs(first - second) > 1) {
        unsigned a = 1u << first, b = 1u << second;
        atomicAdd(solutions, queens(size, a | b, (a << 2) | (b << 1), (a >> 2) | (b >> 1)));
    }
}

__host__ __device__ unsigned fibonacci(unsigned n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__global__ void fibonacci_recursive(unsigned *out) { out[threadIdx.x] = fibonacci(threadIdx.x % 12); }

__host__ __device__ unsigned ackermann(unsigned m, unsigned n) {
    if (m == 0) {
        return n + 1;
    }
    return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

__global__ void ackermann_recursive(unsigned *out) { out[threadIdx.x] = ackermann(threadIdx.x / 4, threadIdx.x % 4); }

// The shorter part is sorted by a call, the longer one by the loop: the stack stays shallow.
__device__ void quicksort(int *keys, int low, int high) {
    while (low < high) {
        int pivot = keys[(low + high) / 2], i = low, j = high;
        while (i <= j) {
            while (keys[i] < pivot) {
                ++i;
            }
            while (keys[j] > pivot) {
                --j;
            }
            if (i <= j) {
                int t = keys[i];
                keys[i++] = keys[j];
                keys[j--] = t;
            }
        }
        if (j - low < high - i) {
            quicksort(keys, low, j);
            low = i;
        } else {
            quicksort(keys, i, high);
            high = j;
        }
    }
}

__global__ void quicksort_recursive(int each, int *keys) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    quicksort(keys + i * each, 0, each - 1);
}

// The moves are folded into a number that depends on their order.
__host__ __device__ void hanoi(int disks, int from, int to, unsigned &trace) {
    if (disks > 0) {
        int spare = 3 - from - to;
        hanoi(disks - 1, from, spare, trace);
        trace = trace * 31 + static_cast<unsigned>(disks * 9 + from * 3 + to);
        hanoi(disks - 1, spare, to, trace);
    }
}

__global__ void hanoi_recursive(unsigned *traces) {
    unsigned trace = 1;
    hanoi(threadIdx.x % 8, threadIdx.x % 3, (threadIdx.x + 1) % 3, trace);
    traces[threadIdx.x] = trace;
}

// Hofstadter's female and male sequences call each other.
__host__ __device__ int male(int n);
__host__ __device__ int female(int n) { return n == 0 ? 1 : n - male(female(n - 1)); }
__host__ __device__ int male(int n) { return n == 0 ? 0 : n - female(male(n - 1)); }

__global__ void hofstadter_mutual(int *out) { out[threadIdx.x] = female(threadIdx.x % 9) * 100 + male(threadIdx.x % 9); }

int main() {
    {
        check::DeviceBuffer<int> solutions(1);
        queens_recursive<<<1, 64>>>(8, solutions);
        check::exact("queens_recursive", solutions.to_host(), std::vector<int>{92});
    }
    {
        check::DeviceBuffer<unsigned> dout(64);
        fibonacci_recursive<<<1, 64>>>(dout);
        std::vector<unsigned> out(64);
        for (unsigned i = 0; i < 64; ++i) {
            out[i] = fibonacci(i % 12);
        }
        check::exact("fibonacci_recursive", dout.to_host(), out);
    }
    {
        check::DeviceBuffer<unsigned> dout(12);
        ackermann_recursive<<<1, 12>>>(dout);
        check::exact("ackermann_recursive", dout.to_host(), std::vector<unsigned>{1, 2, 3, 4, 2, 3, 4, 5, 3, 5, 7, 9});
    }
    {
        const int each = 60, threads = 96;
        auto keys = check::integers<int>(each * threads, 261, -500, 500);
        check::DeviceBuffer<int> dkeys(keys);
        quicksort_recursive<<<3, 32>>>(each, dkeys);
        for (int i = 0; i < threads; ++i) {
            std::sort(keys.begin() + i * each, keys.begin() + (i + 1) * each);
        }
        check::exact("quicksort_recursive", dkeys.to_host(), keys);
    }
    {
        check::DeviceBuffer<unsigned> dtraces(64);
        hanoi_recursive<<<1, 64>>>(dtraces);
        std::vector<unsigned> traces(64, 1);
        for (int i = 0; i < 64; ++i) {
            hanoi(i % 8, i % 3, (i + 1) % 3, traces[i]);
        }
        check::exact("hanoi_recursive", dtraces.to_host(), traces);
    }
    {
        check::DeviceBuffer<int> dout(64);
        hofstadter_mutual<<<1, 64>>>(dout);
        std::vector<int> out(64);
        for (int i = 0; i < 64; ++i) {
            out[i] = female(i % 9) * 100 + male(i % 9);
        }
        check::exact("hofstadter_mutual", dout.to_host(), out);
    }
    return check::finish();
}
