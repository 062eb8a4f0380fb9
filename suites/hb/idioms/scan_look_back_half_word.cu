// RACY. The word of eight bytes is written as a whole and its status is polled as four bytes: partly overlapping strong accesses.
//@ launch: scan<<<4, 1>>>(status: u64[4], out: u32[4])

__global__ void scan(unsigned long long* status, unsigned* out) {
    unsigned before = blockIdx.x;
    if (blockIdx.x > 0) {
        unsigned seen = 0;
        while (seen == 0) {
            asm volatile("ld.relaxed.gpu.u32 %0, [%1+4];" : "=r"(seen) : "l"(status + blockIdx.x - 1) : "memory");
        }
    }
    asm volatile("st.relaxed.gpu.u64 [%0], %1;" ::"l"(status + blockIdx.x), "l"(1ull << 32 | before) : "memory");  //~ race: mixed-size (with line 9)
    out[blockIdx.x] = before;
}
