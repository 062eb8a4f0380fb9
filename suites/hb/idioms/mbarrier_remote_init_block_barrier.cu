// RACY. __syncthreads after the initialisation is for the own block; a thread of another block arrives there, told by a relaxed flag.
//@ launch: send<<<2, 32, cluster=2>>>(ready: u32[1])
#include "support/ptx.cuh"

__global__ void send(unsigned* ready) {
    __shared__ unsigned long long full;
    if (cluster_rank() == 0) {
        if (threadIdx.x == 0) {
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(&full)) : "memory");
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            store_relaxed(ready, 1);
        }
    } else if (threadIdx.x == 0) {
        while (load_relaxed(ready) == 0) {
        }
        unsigned remote = address_in_block(shared_address(&full), 0);
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(remote) : "memory");  //~ race: async (with line 9)
    }
    cluster_sync();
}
