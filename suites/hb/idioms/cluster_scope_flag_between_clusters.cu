// RACY. The same flag between blocks of two clusters: the flag races, and the data is not handed over.
//@ launch: hand_over<<<4, 1, cluster=2>>>(flag: u32[1], data: u32[1], out: u32[1])

__global__ void hand_over(unsigned* flag, unsigned* data, unsigned* out) {
    if (blockIdx.x == 0) {
        *data = 42;
        asm volatile("st.release.cluster.u32 [%0], 1;" ::"l"(flag) : "memory");
    } else if (blockIdx.x == 2) {
        unsigned seen = 0;
        while (seen == 0) {
            asm volatile("ld.acquire.cluster.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");  //~ race: scope (with line 7)
        }
        *out = *data;  //~ race: scope (with line 6)
    }
}
