// The algorithms as a programmer writes them for one core: plain loops. Buffers and numbers are those of the
// kernel of the same name.

#pragma once

#include <cstdint>

extern "C" {
void nbody(void *const *buffers, const uint32_t *numbers);
void matmul(void *const *buffers, const uint32_t *numbers);
void histogram(void *const *buffers, const uint32_t *numbers);
void scan(void *const *buffers, const uint32_t *numbers);
void spmv(void *const *buffers, const uint32_t *numbers);
}
