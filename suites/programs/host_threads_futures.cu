// Eight tasks of std::async fill parts of an array; who has got their futures reads all of it.
// verdict: clean
#include "check.h"
#include <future>
#include <vector>

constexpr int TASKS = 8;
constexpr int COUNT = 64;

__global__ void fill(int* part, int value) {
    part[threadIdx.x] = value;
}

__global__ void total(int* sum, const int* data) {
    int own = 0;
    for (int t = 0; t < TASKS; t++) {
        own += data[t * COUNT + threadIdx.x];
    }
    sum[threadIdx.x] = own;
}

int main() {
    int *data, *sum;
    CHECK(cudaMalloc(&data, TASKS * COUNT * sizeof(int)));
    CHECK(cudaMalloc(&sum, COUNT * sizeof(int)));
    std::vector<std::future<int>> tasks;
    for (int t = 0; t < TASKS; t++) {
        tasks.push_back(std::async(std::launch::async, [=] {
            cudaStream_t stream;
            CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
            fill<<<1, COUNT, 0, stream>>>(data + t * COUNT, t);
            CHECK(cudaGetLastError());
            CHECK(cudaStreamSynchronize(stream));
            CHECK(cudaStreamDestroy(stream));
            return t;
        }));
    }
    int tickets = 0;
    for (std::future<int>& task : tasks) {
        tickets += task.get();
    }
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    total<<<1, COUNT, 0, stream>>>(sum, data);
    CHECK(cudaGetLastError());
    int first = 0;
    CHECK(cudaMemcpyAsync(&first, sum, sizeof first, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    std::printf("%d %d\n", tickets, first);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(data));
    CHECK(cudaFree(sum));
    return 0;
}
