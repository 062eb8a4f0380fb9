// CLEAN. A bulk load and a bulk store of the same buffer: both are of the asynchronous proxy, and the wait orders them.
//@ launch: through<<<1, 32>>>(in: u32[64] = iota, out: u32[64])
#include "support/ptx.cuh"

__global__ void through(unsigned* in, unsigned* out) {
    __shared__ alignas(128) unsigned buffer[64];
    __shared__ unsigned long long full;
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 1);
        fence_proxy_async();
        mbarrier_arrive_expecting(&full, sizeof(buffer));
        BULK_LOAD(buffer, in, sizeof(buffer), &full);
        mbarrier_wait(&full, 0);
        BULK_STORE(out, buffer, sizeof(buffer));
        bulk_commit();
        bulk_wait();
    }
}
