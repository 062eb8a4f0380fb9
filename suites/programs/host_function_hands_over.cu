// A function of the host tells the main thread that the kernel before it is done; that is as good as a wait for the stream.
// verdict: clean
#include "check.h"
#include <condition_variable>
#include <mutex>

constexpr int COUNT = 128;

__global__ void fill(int* data) {
    data[threadIdx.x] = 2 * threadIdx.x;
}

static std::mutex lock;
static std::condition_variable changed;
static bool finished = false;

static void CUDART_CB finish(void*) {
    std::lock_guard<std::mutex> held(lock);
    finished = true;
    changed.notify_one();
}

int main() {
    int* host;
    CHECK(cudaMallocHost(&host, COUNT * sizeof(int)));
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    fill<<<1, COUNT, 0, stream>>>(host);
    CHECK(cudaGetLastError());
    CHECK(cudaLaunchHostFunc(stream, finish, nullptr));
    {
        std::unique_lock<std::mutex> held(lock);
        changed.wait(held, [] { return finished; });
    }
    std::printf("told by the function: %d\n", host[COUNT - 1]);
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeHost(host));
    return 0;
}
