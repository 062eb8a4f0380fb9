// Free and total memory of the device, before and after allocations.
// verdict: clean
#include "check.h"

int main() {
    size_t free_before = 0, free_with = 0, free_after = 0, total = 0, total_again = 0;
    CHECK(cudaMemGetInfo(&free_before, &total));
    std::printf("some is free: %s, no more than all: %s\n", free_before > 0 ? "yes" : "no", free_before <= total ? "yes" : "no");
    void* memory[8];
    for (void*& part : memory) {
        CHECK(cudaMalloc(&part, 8 << 20));
    }
    CHECK(cudaMemGetInfo(&free_with, &total_again));
    std::printf("less is free: %s, by 64 MB or more: %s\n", free_with < free_before ? "yes" : "no",
                free_before - free_with >= (64u << 20) ? "yes" : "no");
    for (void* part : memory) {
        CHECK(cudaFree(part));
    }
    CHECK(cudaMemGetInfo(&free_after, &total_again));
    std::printf("more is free again: %s, all is as before: %s\n", free_after > free_with ? "yes" : "no",
                total == total_again ? "yes" : "no");
    return 0;
}
