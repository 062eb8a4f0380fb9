#include "native.h"

static void count(const unsigned char *data, uint32_t *bins, uint32_t n) {
    for (int i = 0; i < 256; i++) {
        bins[i] = 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        bins[data[i]]++;
    }
}

extern "C" void histogram(void *const *buffers, const uint32_t *numbers) {
    count(static_cast<const unsigned char *>(buffers[0]), static_cast<uint32_t *>(buffers[1]), numbers[0]);
}
