// CLEAN. compaction_overwrites.cu, and its advice: "let each thread write memory of its own".
//@ launch: compact<<<16, 1>>>(data: u32[16] = iota, kept: u32[8])

__global__ void compact(unsigned* data, unsigned* kept) {
    unsigned element = data[blockIdx.x];
    if (blockIdx.x % 2 == 0) {
        kept[blockIdx.x / 2] = element;
    }
}
