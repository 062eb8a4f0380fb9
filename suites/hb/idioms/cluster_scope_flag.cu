// CLEAN. A flag of cluster scope between two blocks of one cluster.
//@ launch: hand_over<<<2, 1, cluster=2>>>(flag: u32[1], data: u32[1], out: u32[1])

__global__ void hand_over(unsigned* flag, unsigned* data, unsigned* out) {
    if (blockIdx.x == 0) {
        *data = 42;
        asm volatile("st.release.cluster.u32 [%0], 1;" ::"l"(flag) : "memory");
    } else {
        unsigned seen = 0;
        while (seen == 0) {
            asm volatile("ld.acquire.cluster.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
        }
        *out = *data;
    }
}
