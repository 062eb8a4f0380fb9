// A sparse matrix in compressed rows times a vector, one thread for a row.

extern "C" __global__ void spmv(const unsigned *row_starts, const unsigned *columns, const float *values,
                                const float *x, float *y, unsigned rows) {
    unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) {
        return;
    }
    float sum = 0.0f;
    for (unsigned i = row_starts[row]; i < row_starts[row + 1]; i++) {
        sum += values[i] * x[columns[i]];
    }
    y[row] = sum;
}
