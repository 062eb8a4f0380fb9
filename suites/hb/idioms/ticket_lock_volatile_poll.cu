// RACY. A ticket lock polled by volatile loads: the data is safe in PTX, the polling is a race of CUDA C++ (a warning).
//@ launch: add<<<2, 1>>>(next: u32[1], serving: u32[1], total: u32[1])

__global__ void add(unsigned* next, unsigned* serving, unsigned* total) {
    unsigned ticket = atomicAdd(next, 1u);
    while (*(volatile unsigned*)serving != ticket) {
    }
    __threadfence();
    *total = *total + blockIdx.x + 1;
    __threadfence();
    atomicAdd(serving, 1u);  //~ race: volatile warning (with line 6)
}
