// CLEAN. A decoupled look-back scan with status and value in one word of eight bytes, written and read by relaxed operations.
//@ launch: scan<<<6, 1>>>(status: u64[6], in: u32[6] = iota, out: u32[6])

__global__ void scan(unsigned long long* status, unsigned* in, unsigned* out) {
    unsigned before = 0;
    if (blockIdx.x > 0) {
        unsigned long long seen = 0;
        while (seen == 0) {
            asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(seen) : "l"(status + blockIdx.x - 1) : "memory");
        }
        before = static_cast<unsigned>(seen);
    }
    unsigned sum = before + in[blockIdx.x] + 1;
    asm volatile("st.relaxed.gpu.u64 [%0], %1;" ::"l"(status + blockIdx.x), "l"(1ull << 32 | sum) : "memory");
    out[blockIdx.x] = sum;
}
