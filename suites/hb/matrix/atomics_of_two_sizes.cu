// RACY. atomicAdd on 8 bytes against atomicAdd on the upper 4.
//@ launch: mix<<<2, 1>>>(words: u64[1])

__global__ void mix(unsigned long long* words) {
    if (blockIdx.x == 0) {
        atomicAdd(words, 1ull);
    } else {
        atomicAdd((unsigned*)words + 1, 1u);  //~ race: mixed-size error (with line 6)
    }
}
