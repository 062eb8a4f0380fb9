// CLEAN. Exchange, minimum, maximum, bits, compare and swap: all are strong.
//@ launch: mix<<<2, 64>>>(words: u32[1])

__global__ void mix(unsigned* words) {
    atomicExch(words, threadIdx.x);
    atomicMin(words, threadIdx.x);
    atomicMax(words, threadIdx.x);
    atomicOr(words, 1);
    atomicAnd(words, 255);
    atomicXor(words, 3);
    atomicInc(words, 9);
    atomicDec(words, 9);
    atomicSub(words, 1);
    atomicCAS(words, 2, 3);
}
