// CUDA errors become C++ exceptions; destructors free what was allocated; the program goes on.
// verdict: clean
#include "check.h"
#include <stdexcept>
#include <string>

struct CudaFailure : std::runtime_error {
    explicit CudaFailure(cudaError_t status) : std::runtime_error(cudaGetErrorString(status)), status(status) {}
    cudaError_t status;
};

static void must(cudaError_t status) {
    if (status != cudaSuccess) {
        (void)cudaGetLastError();
        throw CudaFailure(status);
    }
}

static int alive = 0;

class Buffer {
public:
    explicit Buffer(size_t bytes) {
        must(cudaMalloc(&memory, bytes));
        alive++;
    }
    ~Buffer() {
        cudaFree(memory);
        alive--;
    }
    Buffer(const Buffer&) = delete;
    int* get() const { return static_cast<int*>(memory); }

private:
    void* memory = nullptr;
};

__global__ void fill(int* data) {
    data[threadIdx.x] = threadIdx.x;
}

static int run(unsigned threads, size_t bytes) {
    Buffer first(1024 * sizeof(int));
    Buffer second(bytes);
    fill<<<1, threads>>>(first.get());
    must(cudaGetLastError());
    int value = 0;
    must(cudaMemcpy(&value, first.get() + threads - 1, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

int main() {
    struct Try {
        unsigned threads;
        size_t bytes;
    };
    for (Try attempt : {Try{64, 64}, Try{2000, 64}, Try{64, static_cast<size_t>(1) << 50}, Try{128, 64}}) {
        try {
            std::printf("value %d\n", run(attempt.threads, attempt.bytes));
        } catch (const CudaFailure& failure) {
            std::printf("caught %s: %s\n", cudaGetErrorName(failure.status), failure.what());
        }
        std::printf("alive: %d\n", alive);
    }
    return 0;
}
