// The program aborts after a kernel with a race.
// verdict: race
// exit: 134
#include "check.h"
#include <sys/resource.h>

__global__ void count(int* counter) {
    *counter += 1;  //~ race: missing-sync error (with itself)
}

int main() {
    rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    int* counter;
    CHECK(cudaMalloc(&counter, sizeof(int)));
    CHECK(cudaMemset(counter, 0, sizeof(int)));
    count<<<4, 1>>>(counter);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::printf("about to abort\n");
    std::fflush(stdout);
    std::abort();
}
