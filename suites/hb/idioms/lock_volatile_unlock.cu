// RACY. The lock is given back by a volatile store after a fence: strong in PTX, so the data is safe, but no atomic of CUDA C++.
//@ launch: add<<<2, 1>>>(lock: u32[1], total: u32[1])

__global__ void add(unsigned* lock, unsigned* total) {
    while (atomicCAS(lock, 0u, 1u) != 0u) {
    }
    __threadfence();
    *total = *total + blockIdx.x + 1;
    __threadfence();
    *(volatile unsigned*)lock = 0;  //~ race: volatile warning (with line 5)
}
