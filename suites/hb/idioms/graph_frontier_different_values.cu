// RACY. Lanes of one warp store different distances of the same vertex in one instruction.
//@ launch: visit<<<1, 32>>>(distance: u32[8])

__global__ void visit(unsigned* distance) {
    distance[threadIdx.x / 4] = threadIdx.x;  //~ race: missing-sync (with itself)
}
