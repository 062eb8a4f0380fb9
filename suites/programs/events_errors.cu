// What events answer when they are misused: no timing, never recorded, destroyed while in use.
// verdict: clean
#include "check.h"

__global__ void nothing() {}

int main() {
    cudaEvent_t timed, untimed, fresh;
    CHECK(cudaEventCreate(&timed));
    CHECK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    CHECK(cudaEventCreate(&fresh));
    CHECK(cudaEventRecord(timed));
    nothing<<<1, 1>>>();
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(untimed));
    CHECK(cudaDeviceSynchronize());
    float milliseconds = 0;
    std::printf("without timing: %s\n", cudaGetErrorName(cudaEventElapsedTime(&milliseconds, timed, untimed)));
    std::printf("never recorded: %s\n", cudaGetErrorName(cudaEventElapsedTime(&milliseconds, timed, fresh)));
    (void)cudaGetLastError();
    std::printf("ask one never recorded: %s\n", cudaGetErrorName(cudaEventQuery(fresh)));
    std::printf("wait for one never recorded: %s\n", cudaGetErrorName(cudaEventSynchronize(fresh)));
    std::printf("flags that do not exist: %s\n", cudaGetErrorName(cudaEventCreateWithFlags(&fresh, 0x80)));
    std::printf("last error: %s\n", cudaGetErrorName(cudaGetLastError()));
    // An event may be destroyed before it happens; its stream still does the work.
    nothing<<<1, 1>>>();
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(timed));
    CHECK(cudaEventDestroy(timed));
    CHECK(cudaEventDestroy(untimed));
    CHECK(cudaDeviceSynchronize());
    return 0;
}
