#include "native.h"

static void multiply(const float *a, const float *b, float *c, uint32_t n) {
    for (uint32_t row = 0; row < n; row++) {
        for (uint32_t column = 0; column < n; column++) {
            float sum = 0.0f;
            for (uint32_t k = 0; k < n; k++) {
                sum += a[row * n + k] * b[k * n + column];
            }
            c[row * n + column] = sum;
        }
    }
}

extern "C" void matmul(void *const *buffers, const uint32_t *numbers) {
    multiply(static_cast<const float *>(buffers[0]), static_cast<const float *>(buffers[1]),
             static_cast<float *>(buffers[2]), numbers[0]);
}
