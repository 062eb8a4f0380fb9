// RACY. Every second element moves to the front of the array, which others still read.
//@ launch: compact<<<16, 1>>>(data: u32[16] = iota)
//@ groups: 1
//@ advice: let each thread write memory of its own

__global__ void compact(unsigned* data) {
    unsigned element = data[blockIdx.x];
    if (blockIdx.x % 2 == 0) {
        data[blockIdx.x / 2] = element;  //~ race: missing-sync error (with line 7)
    }
}
