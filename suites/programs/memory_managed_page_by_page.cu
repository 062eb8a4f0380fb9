// Large managed and pinned arrays: kernels touch a number of each page, and the host does so after each wait.
// verdict: clean
#include "check.h"

constexpr int PAGES = 2048;
constexpr int PAGE = 4096 / sizeof(int);

__global__ void add(int* managed, int* pinned, int value) {
    size_t i = size_t(blockIdx.x * blockDim.x + threadIdx.x) * PAGE;
    managed[i] += value;
    pinned[i + 1] += value + managed[i];
}

int main() {
    int *managed, *pinned;
    CHECK(cudaMallocManaged(&managed, size_t(PAGES) * PAGE * sizeof(int)));
    CHECK(cudaMallocHost(&pinned, size_t(PAGES) * PAGE * sizeof(int)));
    for (int page = 0; page < PAGES; page++) {
        managed[page * PAGE] = page;
        pinned[page * PAGE + 1] = 0;
    }
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (int round = 1; round <= 3; round++) {
        add<<<PAGES / 256, 256, 0, stream>>>(managed, pinned, round);
        CHECK(cudaGetLastError());
        CHECK(cudaStreamSynchronize(stream));
        long sum = 0;
        for (int page = 0; page < PAGES; page++) {
            sum += managed[page * PAGE] + pinned[page * PAGE + 1];
            managed[page * PAGE] -= page % 3;
            pinned[page * PAGE + 1] = 0;
        }
        std::printf("round %d: %ld\n", round, sum);
    }
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(managed));
    CHECK(cudaFreeHost(pinned));
    return 0;
}
