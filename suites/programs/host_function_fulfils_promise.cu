// Functions of the host in streams keep promises the main thread waits for, and wait for one of its own; no call of CUDA helps.
// verdict: clean
#include "check.h"
#include <future>

constexpr int COUNT = 128;

__global__ void fill(int* data, int factor) {
    data[threadIdx.x] = factor * threadIdx.x;
}

struct Step {
    std::promise<int> done;
    const int* data;
};

static void CUDART_CB report(void* argument) {
    Step* step = static_cast<Step*>(argument);
    step->done.set_value(step->data[COUNT - 1]);
}

static std::promise<void> go_on;

static void CUDART_CB hold(void* argument) {
    go_on.get_future().wait();
    *static_cast<int*>(argument) = 5;
}

int main() {
    cudaStream_t streams[3];
    int* data[3];
    Step steps[3];
    for (int i = 0; i < 3; i++) {
        CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
        CHECK(cudaMallocHost(&data[i], COUNT * sizeof(int)));
        steps[i].data = data[i];
    }
    for (int i = 0; i < 3; i++) {
        fill<<<1, COUNT, 0, streams[i]>>>(data[i], i + 1);
        CHECK(cudaGetLastError());
        CHECK(cudaLaunchHostFunc(streams[i], report, &steps[i]));
    }
    for (int i = 2; i >= 0; i--) {
        std::printf("stream %d: %d\n", i, steps[i].done.get_future().get());
    }
    CHECK(cudaDeviceSynchronize());

    int written = 0;
    CHECK(cudaLaunchHostFunc(streams[0], hold, &written));
    fill<<<1, COUNT, 0, streams[0]>>>(data[0], 9);
    CHECK(cudaGetLastError());
    std::printf("while the function waits: %s\n", cudaGetErrorName(cudaStreamQuery(streams[0])));
    std::printf("another stream: %s\n", cudaGetErrorName(cudaStreamQuery(streams[1])));
    go_on.set_value();
    CHECK(cudaStreamSynchronize(streams[0]));
    std::printf("afterwards: %d %d\n", written, data[0][COUNT - 1]);
    for (int i = 0; i < 3; i++) {
        CHECK(cudaStreamDestroy(streams[i]));
        CHECK(cudaFreeHost(data[i]));
    }
    return 0;
}
