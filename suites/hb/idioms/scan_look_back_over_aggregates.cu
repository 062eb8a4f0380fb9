// CLEAN. Blocks publish their aggregate first and their prefix later in the same word, and look back over several blocks.
//@ launch: scan<<<5, 1>>>(status: u64[5], in: u32[5] = iota, out: u32[5])

__global__ void scan(unsigned long long* status, unsigned* in, unsigned* out) {
    const unsigned long long AGGREGATE = 1ull << 32, PREFIX = 2ull << 32;
    unsigned own = in[blockIdx.x] + 1, before = 0;
    asm volatile("st.relaxed.gpu.u64 [%0], %1;" ::"l"(status + blockIdx.x), "l"(AGGREGATE | own) : "memory");
    for (int block = blockIdx.x - 1; block >= 0; --block) {
        unsigned long long seen = 0;
        while (seen == 0) {
            asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(seen) : "l"(status + block) : "memory");
        }
        before += static_cast<unsigned>(seen);
        if (seen >= PREFIX) {
            break;
        }
    }
    asm volatile("st.relaxed.gpu.u64 [%0], %1;" ::"l"(status + blockIdx.x), "l"(PREFIX | (before + own)) : "memory");
    out[blockIdx.x] = before + own;
}
