// The program starts itself again with an argument, by fork and exec; both processes use the device.
// verdict: clean
#include "check.h"
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

__global__ void add(int* counter, int amount) {
    atomicAdd(counter, amount);
}

static int count(int amount) {
    int* counter;
    CHECK(cudaMalloc(&counter, sizeof(int)));
    CHECK(cudaMemset(counter, 0, sizeof(int)));
    add<<<2, 64>>>(counter, amount);
    CHECK(cudaGetLastError());
    int value = 0;
    CHECK(cudaMemcpy(&value, counter, sizeof value, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(counter));
    return value;
}

int main(int arguments, char** values) {
    if (arguments > 1) {
        std::printf("%s: %d\n", values[1], count(2));
        return 0;
    }
    std::printf("parent: %d\n", count(1));
    std::fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        // After CUDA was used, a child may do nothing but exec.
        execl("/proc/self/exe", values[0], "child", static_cast<char*>(nullptr));
        _exit(99);
    }
    int status = 0;
    waitpid(child, &status, 0);
    std::printf("the child's exit code: %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    return 0;
}
