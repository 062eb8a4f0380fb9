// CLEAN. scratch_shared_by_all.cu, and its advice: "let each thread use memory of its own".
//@ launch: work<<<2, 64>>>(scratch: u32[4], out: u32[4])

__global__ void work(unsigned* scratch, unsigned* out) {
    unsigned worker = blockIdx.x * 2 + threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) {
        scratch[worker] = worker + 1;
        __threadfence();
        out[worker] = scratch[worker] * 2;
    }
}
