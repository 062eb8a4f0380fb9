// CLEAN. atomicInc elects the first block; nobody else touches the word.
//@ launch: elect<<<4, 1>>>(turn: u32[1], chosen: u32[1])

__global__ void elect(unsigned* turn, unsigned* chosen) {
    if (atomicInc(turn, 100u) == 0) {
        *chosen = blockIdx.x + 1;
    }
}
