// printf of the device: all types of arguments, in the order of a thread and of launches in a stream.
// verdict: clean
#include "check.h"

__device__ const char word[] = "word";

__global__ void speak(int number) {
    printf("%d %u %x %c %s|%5d|%-5d|%05d|\n", number, 7u, 255, 'c', word, 42, 42, 42);
    printf("%.3f %e %g %lld %llu\n", 1.5f, 12345.678, 0.5, -1ll * (1ll << 40), ~0ull);
    printf("%zu %% %hd\n", sizeof(int), static_cast<short>(-3));
    for (int i = 0; i < 3; i++) {
        printf("line %d\n", i);
    }
}

__global__ void one_of_many() {
    if (threadIdx.x == 40) {
        printf("thread %d of block %d\n", threadIdx.x, blockIdx.x);
    }
}

int main() {
    std::printf("the host speaks first\n");
    std::fflush(stdout);
    speak<<<1, 1>>>(3);
    CHECK(cudaGetLastError());
    one_of_many<<<1, 64>>>();
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::printf("the host speaks last\n");
    return 0;
}
