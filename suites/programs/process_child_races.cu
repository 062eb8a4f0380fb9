// Of three children that use the device, the second one has a race; the parent uses no device at all.
// verdict: race
#include "check.h"
#include <sys/wait.h>
#include <unistd.h>

__global__ void good(int* data) {
    __shared__ int cells[128];
    cells[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = cells[127 - threadIdx.x];
}

__global__ void bad(int* data) {
    __shared__ int cells[128];
    cells[threadIdx.x] = data[threadIdx.x];
    data[threadIdx.x] = cells[127 - threadIdx.x];  //~ race: missing-sync error (with line 16)
}

static int work(int which) {
    int* data;
    CHECK(cudaMalloc(&data, 128 * sizeof(int)));
    CHECK(cudaMemset(data, 0, 128 * sizeof(int)));
    if (which == 1) {
        bad<<<1, 128>>>(data);
    } else {
        good<<<1, 128>>>(data);
    }
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(data));
    return 10 + which;
}

int main() {
    pid_t children[3];
    for (int i = 0; i < 3; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            return work(i);
        }
    }
    for (pid_t child : children) {
        int status = 0;
        waitpid(child, &status, 0);
        std::printf("exit code %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    }
    return 0;
}
