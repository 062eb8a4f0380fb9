// RACY. Roots are looked up by ordinary loads while others link them.
//@ launch: unite<<<2, 1>>>(parent: u32[2], out: u32[2])

__global__ void unite(unsigned* parent, unsigned* out) {
    if (blockIdx.x == 0) {
        atomicCAS(parent + 1, 0u, 1u);
    } else {
        out[1] = parent[1];  //~ race: missing-sync (with line 6)
    }
}
