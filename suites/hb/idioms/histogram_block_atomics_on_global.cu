// RACY. The blocks add their bins to the global ones by atomics of block scope.
//@ launch: histogram<<<2, 32>>>(bins: u32[32])

__global__ void histogram(unsigned* bins) {
    atomicAdd_block(bins + threadIdx.x, 1u);  //~ race: scope (with itself)
}
