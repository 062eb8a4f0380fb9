// CLEAN. tree_summary_by_flags.cu, and its advice: "put __threadfence() before line 16, and again after the loop of line 11".
//@ launch: summarise<<<3, 1>>>(sums: u32[7] = iota, done: u32[7])

__global__ void summarise(unsigned* sums, unsigned* done) {
    unsigned cell = gridDim.x - 1 - blockIdx.x;
    unsigned sum = 0;
    for (unsigned child = 2 * cell + 1; child <= 2 * cell + 2; ++child) {
        bool is_leaf = child >= gridDim.x;
        while (!is_leaf && atomicAdd(&done[child], 0u) == 0) {
        }
        __threadfence();
        sum += sums[child];
    }
    sums[cell] = sum;
    __threadfence();
    atomicExch(&done[cell], 1u);
}
