// Files are written from and read into page-locked memory while a kernel works on other memory.
// verdict: clean
#include "check.h"
#include <fcntl.h>
#include <fstream>
#include <unistd.h>

constexpr int COUNT = 5000;
constexpr size_t BYTES = COUNT * sizeof(int);

__global__ void fill(int* data, int step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < COUNT) {
        data[i] = i * step;
    }
}

int main() {
    int *other, *first, *second, *third;
    CHECK(cudaMalloc(&other, BYTES));
    CHECK(cudaMallocHost(&first, BYTES));
    CHECK(cudaHostAlloc(&second, BYTES, cudaHostAllocDefault));
    CHECK(cudaMallocManaged(&third, BYTES));
    for (int i = 0; i < COUNT; i++) {
        first[i] = i ^ 5;
    }
    char name[] = "pinned-XXXXXX";
    int file = mkstemp(name);
    fill<<<(COUNT + 127) / 128, 128>>>(other, 2);
    CHECK(cudaGetLastError());
    bool written = write(file, first, BYTES) == ssize_t(BYTES);
    bool read_back = pread(file, second, BYTES, 0) == ssize_t(BYTES);
    std::ifstream stream(name, std::ios::binary);
    bool streamed = bool(stream.read(reinterpret_cast<char*>(third), BYTES));
    FILE* again = std::fopen(name, "rb");
    size_t numbers = std::fread(second, sizeof(int), COUNT, again);
    std::fclose(again);
    CHECK(cudaDeviceSynchronize());
    std::printf("written %d, read %d, streamed %d, numbers %zu\n", written, read_back, streamed, numbers);
    std::printf("%d %d %d\n", second[7], third[COUNT - 1], second[COUNT - 1]);
    close(file);
    unlink(name);
    CHECK(cudaFree(other));
    CHECK(cudaFreeHost(first));
    CHECK(cudaFreeHost(second));
    CHECK(cudaFree(third));
    return 0;
}
