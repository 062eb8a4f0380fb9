// The second unit of build_two_units_racy.cu, with the race.
__device__ int neighbour(int* cells, int value) {
    cells[threadIdx.x] = value;
    return cells[blockDim.x - 1 - threadIdx.x];  //~ race: missing-sync error (with line 3)
}
