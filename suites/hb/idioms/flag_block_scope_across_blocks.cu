// RACY. A flag set with block scope and read by another block: the flag itself races, and the data is not handed over.
//@ launch: hand_over<<<2, 1>>>(flag: u32[1], data: u32[1], out: u32[1])

__global__ void hand_over(unsigned* flag, unsigned* data, unsigned* out) {
    if (blockIdx.x == 0) {
        *data = 42;
        asm volatile("st.release.cta.u32 [%0], 1;" ::"l"(flag) : "memory");
    } else {
        unsigned seen = 0;
        while (seen == 0) {
            asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");  //~ race: scope (with line 7)
        }
        *out = *data;  //~ race: scope (with line 6)
    }
}
