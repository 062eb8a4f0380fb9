#include "native.h"

static void multiply(const uint32_t *row_starts, const uint32_t *columns, const float *values, const float *x,
                     float *y, uint32_t rows) {
    for (uint32_t row = 0; row < rows; row++) {
        float sum = 0.0f;
        for (uint32_t i = row_starts[row]; i < row_starts[row + 1]; i++) {
            sum += values[i] * x[columns[i]];
        }
        y[row] = sum;
    }
}

extern "C" void spmv(void *const *buffers, const uint32_t *numbers) {
    multiply(static_cast<const uint32_t *>(buffers[0]), static_cast<const uint32_t *>(buffers[1]),
             static_cast<const float *>(buffers[2]), static_cast<const float *>(buffers[3]),
             static_cast<float *>(buffers[4]), numbers[0]);
}
