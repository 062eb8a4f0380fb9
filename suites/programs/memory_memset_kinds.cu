// Every memset: one, two and three dimensions, at once and in a stream, with values of a byte.
// verdict: clean
#include "check.h"
#include <cstring>

constexpr size_t BYTES = 4096;

__global__ void count_bytes(const unsigned char* data, int* counts) {
    for (size_t i = threadIdx.x; i < BYTES; i += blockDim.x) {
        atomicAdd(&counts[data[i] & 7], 1);
    }
}

static void print_counts(const char* what, const unsigned char* data, int* counts) {
    int host[8];
    CHECK(cudaMemset(counts, 0, sizeof host));
    count_bytes<<<1, 128>>>(data, counts);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, counts, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("%s:", what);
    for (int count : host) {
        std::printf(" %d", count);
    }
    std::printf("\n");
}

int main() {
    unsigned char* data;
    int* counts;
    CHECK(cudaMalloc(&data, BYTES));
    CHECK(cudaMalloc(&counts, 8 * sizeof(int)));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));

    CHECK(cudaMemset(data, 1, BYTES));
    print_counts("memset", data, counts);
    CHECK(cudaMemset(data + 3, 0x102, 5));  // only the lowest byte of the value counts
    print_counts("memset of a part", data, counts);
    CHECK(cudaMemset2D(data, 64, 3, 10, 20));
    print_counts("memset2d", data, counts);
    cudaPitchedPtr box = make_cudaPitchedPtr(data, 32, 32, 8);
    CHECK(cudaMemset3D(box, 4, make_cudaExtent(7, 5, 3)));
    print_counts("memset3d", data, counts);

    // The default stream waits for this stream, which was created with the default flags.
    CHECK(cudaMemsetAsync(data, 5, BYTES / 2, stream));
    CHECK(cudaMemset2DAsync(data + BYTES / 2, 128, 6, 64, 8, stream));
    CHECK(cudaMemset3DAsync(box, 7, make_cudaExtent(32, 8, 2), stream));
    print_counts("in a stream", data, counts);

    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(counts));
    CHECK(cudaFree(data));
    return 0;
}
