// RACY. A scratch array of a few words in global memory, which every thread takes for its own. Threads of one block and of two race.
//@ launch: work<<<2, 128>>>(scratch: u32[1], out: u32[8])
//@ groups: 1
//@ advice: let each thread write memory of its own

__global__ void work(unsigned* scratch, unsigned* out) {
    unsigned worker = blockIdx.x * 4 + threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) {
        scratch[0] = worker + 1;  //~ race: missing-sync error (with itself) //~ race: missing-sync error (with line 11)
        __threadfence();
        out[worker] = scratch[0] * 2;
    }
}
