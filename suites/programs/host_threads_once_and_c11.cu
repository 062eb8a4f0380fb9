// Eight threads of C11 use what one of them has made once: a table that a kernel fills, and a stream in a variable of a function.
// verdict: clean
#include "check.h"
#include <mutex>
#include <threads.h>

constexpr int THREADS = 8;
constexpr int COUNT = 256;

__global__ void fill(int* table) {
    table[threadIdx.x] = 2 * threadIdx.x;
}

__global__ void look_up(int* target, const int* table) {
    target[threadIdx.x] = table[COUNT - 1 - threadIdx.x];
}

static int* table;
static std::once_flag filled;
static int firsts[THREADS];

static cudaStream_t make_stream() {
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
}

static void fill_table() {
    CHECK(cudaMalloc(&table, COUNT * sizeof(int)));
    cudaStream_t stream = make_stream();
    fill<<<1, COUNT, 0, stream>>>(table);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
}

static cudaStream_t common_stream() {
    static cudaStream_t stream = make_stream();
    return stream;
}

static int work(void* argument) {
    int t = static_cast<int*>(argument) - firsts;
    std::call_once(filled, fill_table);
    int* target;
    CHECK(cudaMalloc(&target, COUNT * sizeof(int)));
    cudaStream_t stream = t % 2 ? common_stream() : make_stream();
    look_up<<<1, COUNT, 0, stream>>>(target, table);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(&firsts[t], target, sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaFree(target));
    return t;
}

int main() {
    thrd_t threads[THREADS];
    for (int t = 0; t < THREADS; t++) {
        thrd_create(&threads[t], work, &firsts[t]);
    }
    int sum = 0;
    for (thrd_t thread : threads) {
        int code = 0;
        thrd_join(thread, &code);
        sum += code;
    }
    std::printf("%d %d %d\n", sum, firsts[0], firsts[THREADS - 1]);
    CHECK(cudaFree(table));
    return 0;
}
