// RACY. Lanes of one warp mark the same vertex in one store, with the same value: worth an information, not more.
//@ launch: visit<<<1, 32>>>(seen: u32[8])

__global__ void visit(unsigned* seen) {
    seen[threadIdx.x / 4] = 1;  //~ race: same-value info (with itself)
}
