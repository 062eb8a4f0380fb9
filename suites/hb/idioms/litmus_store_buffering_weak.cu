// RACY. Store buffering with weak accesses: the bare order of two fence.sc is not counted, for nobody observed it.
//@ launch: litmus<<<2, 1>>>(words: u32[2], out: u32[2])

__global__ void litmus(unsigned* words, unsigned* out) {
    words[blockIdx.x] = 1;
    asm volatile("fence.sc.gpu;" ::: "memory");
    out[blockIdx.x] = words[1 - blockIdx.x];  //~ race: missing-sync (with line 5)
}
