// A launch of 2^20 threads, each of which reads and writes 256 numbers: 1 GiB in all. The host checks every
// number; it prints `ok` and ends with 0 if all are right.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr unsigned BLOCKS = 4096, THREADS = 256, NUMBERS_OF_A_THREAD = 256;
constexpr unsigned COUNT = BLOCKS * THREADS * NUMBERS_OF_A_THREAD;
constexpr unsigned PART = 1u << 22;

__global__ void double_and_add(float *numbers) {
    unsigned stride = gridDim.x * blockDim.x;
    unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned step = 0; step < NUMBERS_OF_A_THREAD; ++step, index += stride)
        numbers[index] = 2.0f * numbers[index] + static_cast<float>(index & 1023);
}

// Small enough that twice the number plus 1023 is exact.
static float initial(unsigned index) {
    return static_cast<float>((index * 2654435761u) >> 12);
}

static void need(cudaError_t error) {
    if (error != cudaSuccess) {
        std::printf("%s\n", cudaGetErrorString(error));
        std::exit(1);
    }
}

int main() {
    float *numbers;
    need(cudaMalloc(&numbers, size_t(COUNT) * sizeof(float)));
    std::vector<float> part(PART);
    for (unsigned start = 0; start < COUNT; start += PART) {
        for (unsigned at = 0; at < PART; ++at)
            part[at] = initial(start + at);
        need(cudaMemcpy(numbers + start, part.data(), PART * sizeof(float), cudaMemcpyHostToDevice));
    }
    double_and_add<<<BLOCKS, THREADS>>>(numbers);
    need(cudaGetLastError());
    need(cudaDeviceSynchronize());
    for (unsigned start = 0; start < COUNT; start += PART) {
        need(cudaMemcpy(part.data(), numbers + start, PART * sizeof(float), cudaMemcpyDeviceToHost));
        for (unsigned at = 0; at < PART; ++at) {
            unsigned index = start + at;
            if (part[at] != 2.0f * initial(index) + static_cast<float>(index & 1023)) {
                std::printf("number %u is %f\n", index, part[at]);
                return 1;
            }
        }
    }
    need(cudaFree(numbers));
    std::printf("ok\n");
    return 0;
}
