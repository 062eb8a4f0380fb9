// RACY. The distance of the neighbour is lowered by an atomic, and read by an ordinary load.
//@ launch: relax<<<2, 1>>>(distance: u32[2] = 1000, out: u32[2])

__global__ void relax(unsigned* distance, unsigned* out) {
    if (blockIdx.x == 0) {
        atomicMin(distance + 1, 7u);
    } else {
        out[1] = distance[1];  //~ race: missing-sync (with line 6)
    }
}
