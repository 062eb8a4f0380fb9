// Events measure the time between them; two events at the same place in a stream have the least.
// verdict: clean
#include "check.h"

__global__ void spin(int* data, int rounds) {
    int value = threadIdx.x;
    for (int i = 0; i < rounds; i++) {
        value = value * 1664525 + 1013904223;
    }
    data[threadIdx.x] = value;
}

int main() {
    int* data;
    CHECK(cudaMalloc(&data, 64 * sizeof(int)));
    cudaEvent_t start, middle, end;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreateWithFlags(&middle, cudaEventDefault));
    CHECK(cudaEventCreateWithFlags(&end, cudaEventBlockingSync));
    CHECK(cudaEventRecord(start));
    spin<<<1, 64>>>(data, 100);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(middle));
    spin<<<1, 64>>>(data, 200);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecordWithFlags(end, nullptr, cudaEventRecordDefault));
    CHECK(cudaEventSynchronize(end));
    float first = -1, second = -1, both = -1;
    CHECK(cudaEventElapsedTime(&first, start, middle));
    CHECK(cudaEventElapsedTime(&second, middle, end));
    CHECK(cudaEventElapsedTime(&both, start, end));
    std::printf("not negative: %s %s %s\n", first >= 0 ? "yes" : "no", second >= 0 ? "yes" : "no", both >= 0 ? "yes" : "no");
    std::printf("the whole is at least each part: %s\n", both >= first && both >= second ? "yes" : "no");
    std::printf("done: %s\n", cudaGetErrorName(cudaEventQuery(end)));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(middle));
    CHECK(cudaEventDestroy(end));
    CHECK(cudaFree(data));
    return 0;
}
