// CLEAN. scratch_shared_by_all.cu, and its advice: "let each thread write memory of its own".
//@ launch: work<<<2, 128>>>(scratch: u32[8], out: u32[8])

__global__ void work(unsigned* scratch, unsigned* out) {
    unsigned worker = blockIdx.x * 4 + threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) {
        scratch[worker] = worker + 1;
        __threadfence();
        out[worker] = scratch[worker] * 2;
    }
}
