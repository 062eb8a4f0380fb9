// The program forks before its first CUDA call; child and parent then use the device, each on its own.
// verdict: clean
#include "check.h"
#include <sys/wait.h>
#include <unistd.h>

__global__ void fill(int* data, int factor) {
    data[threadIdx.x] = threadIdx.x * factor;
}

static int last_number(int factor) {
    int* data;
    CHECK(cudaMalloc(&data, 64 * sizeof(int)));
    fill<<<1, 64>>>(data, factor);
    CHECK(cudaGetLastError());
    int last = 0;
    CHECK(cudaMemcpy(&last, data + 63, sizeof last, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(data));
    return last;
}

int main() {
    std::printf("before the fork\n");
    std::fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        std::printf("child: %d\n", last_number(2));
        std::fflush(stdout);
        return 7;
    }
    int status = 0;
    waitpid(child, &status, 0);
    std::printf("the child's exit code: %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    std::printf("parent: %d\n", last_number(3));
    return 0;
}
