// CLEAN. Blocks of a cluster write into each other's shared memory; the cluster barrier orders it, and one more at the end keeps
// the memory alive.
//@ launch: exchange<<<4, 64, cluster=2>>>(out: u32[256])
#include "support/ptx.cuh"

__global__ void exchange(unsigned* out) {
    __shared__ unsigned inbox[64];
    unsigned remote = address_in_block(shared_address(inbox + threadIdx.x), cluster_rank() ^ 1);
    cluster_sync();
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(remote), "r"(blockIdx.x * 64 + threadIdx.x) : "memory");
    cluster_sync();
    out[blockIdx.x * 64 + threadIdx.x] = inbox[63 - threadIdx.x];
}
