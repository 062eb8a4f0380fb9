// CLEAN. A compare-and-swap lets one thread win each vertex, and a counter gives it a place in the next frontier.
//@ launch: visit<<<2, 64>>>(seen: u32[16], count: u32[1], next: u32[16])

__global__ void visit(unsigned* seen, unsigned* count, unsigned* next) {
    unsigned vertex = threadIdx.x * 7 % 16;
    if (atomicCAS(seen + vertex, 0u, 1u) == 0u) {
        next[atomicAdd(count, 1u)] = vertex;
    }
}
