// RACY. An atomic of eight bytes and one of four that overlap partly are not morally strong.
//@ launch: count<<<2, 1>>>(counter: u64[1])

__global__ void count(unsigned long long* counter) {
    if (blockIdx.x == 0) {
        atomicAdd(counter, 1ull << 32);
    } else {
        atomicAdd(reinterpret_cast<unsigned*>(counter), 1u);  //~ race: mixed-size (with line 6)
    }
}
