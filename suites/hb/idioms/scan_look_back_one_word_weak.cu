// RACY. Status and value in one word, but it is written by an ordinary store.
//@ launch: scan<<<4, 1>>>(status: u64[4], out: u32[4])

__global__ void scan(unsigned long long* status, unsigned* out) {
    unsigned before = 0;
    if (blockIdx.x > 0) {
        unsigned long long seen = 0;
        while (seen == 0) {
            asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(seen) : "l"(status + blockIdx.x - 1) : "memory");
        }
        before = static_cast<unsigned>(seen);
    }
    asm volatile("st.u64 [%0], %1;" ::"l"(status + blockIdx.x), "l"(1ull << 32 | (before + 1)) : "memory");  //~ race: missing-sync (with line 9)
    out[blockIdx.x] = before + 1;
}
