// RACY. The losers of the election read what the winner writes after it: being second in a chain does not order that.
//@ launch: elect<<<2, 1>>>(turn: u32[1], chosen: u32[1], out: u32[2])

__global__ void elect(unsigned* turn, unsigned* chosen, unsigned* out) {
    if (atomicInc(turn, 100u) == 0) {
        *chosen = blockIdx.x + 1;
    } else {
        out[blockIdx.x] = *chosen;  //~ race: missing-sync (with line 6)
    }
}
