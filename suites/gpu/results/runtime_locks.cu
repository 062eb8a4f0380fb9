// Kernels with locks, tickets and a queue between blocks, which go wrong when threads of a warp are held up for each other.
#include "support.h"

__device__ unsigned int lock, ticket, served;
__device__ unsigned long long guarded;

// One thread of each block takes a spin lock.
__global__ void add_under_lock(uint32_t amount) {
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock, 0u, 1u) != 0u) {
        }
        __threadfence();
        guarded += amount;
        __threadfence();
        atomicExch(&lock, 0u);
    }
}

// Every thread takes a ticket and waits for its turn: a warp has to let its lanes pass one by one.
__global__ void add_in_turn(uint32_t amount) {
    unsigned int mine = atomicAdd(&ticket, 1u);
    for (bool is_done = false; !is_done;) {
        if (atomicAdd(&served, 0u) == mine) {
            __threadfence();
            guarded += amount;
            __threadfence();
            atomicAdd(&served, 1u);
            is_done = true;
        }
    }
}

int main() {
    add_under_lock<<<200, 64>>>(3);
    CHECK(cudaGetLastError());
    add_in_turn<<<8, 64>>>(5);
    CHECK(cudaGetLastError());
    unsigned long long found = 0;
    CHECK(cudaMemcpyFromSymbol(&found, guarded, sizeof found));
    expect("guarded", found, 200ull * 3 + 8ull * 64 * 5);
    return finish();
}
