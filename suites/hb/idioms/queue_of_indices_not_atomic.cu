// RACY. The next index is drawn by an ordinary read and write.
//@ launch: work<<<2, 1>>>(next: u32[1], out: u32[1])

__global__ void work(unsigned* next, unsigned* out) {
    unsigned first = *next;  //~ race: missing-sync (with line 6)
    *next = first + blockIdx.x + 1;  //~ race: missing-sync (with itself)
    atomicAdd(out, first);
}
