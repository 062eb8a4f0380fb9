// RACY. The issuer reads what it copies without waiting. Its later instructions are not ordered after the copy.
//@ launch: fetch<<<1, 32>>>(in: u32[32] = iota, out: u32[1])
#include "support/ptx.cuh"

__global__ void fetch(unsigned* in, unsigned* out) {
    __shared__ alignas(128) unsigned buffer[32];
    __shared__ unsigned long long full;
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 1);
        fence_proxy_async();
        mbarrier_arrive_expecting(&full, sizeof(buffer));
        BULK_LOAD(buffer, in, sizeof(buffer), &full);
        *out = buffer[7];  //~ race: async (with line 12)
        mbarrier_wait(&full, 0);
    }
}
