// RACY. The cells of a tree are summed from the leaves up, as in Barnes-Hut codes; a flag says that a cell is done, without fences.
//@ launch: summarise<<<3, 1>>>(sums: u32[7] = iota, done: u32[7])
//@ groups: 1
//@ advice: put __threadfence() before line 16, and again after the loop of line 11

__global__ void summarise(unsigned* sums, unsigned* done) {
    unsigned cell = gridDim.x - 1 - blockIdx.x;
    unsigned sum = 0;
    for (unsigned child = 2 * cell + 1; child <= 2 * cell + 2; ++child) {
        bool is_leaf = child >= gridDim.x;
        while (!is_leaf && atomicAdd(&done[child], 0u) == 0) {
        }
        sum += sums[child];  //~ race: missing-fence error (with line 15)
    }
    sums[cell] = sum;
    atomicExch(&done[cell], 1u);
}
