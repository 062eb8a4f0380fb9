// CLEAN. With a granularity of one byte, neighbours in a word are locations of their own.
//@ flags: --iguard-granularity=1
//@ launch: bytes<<<2, 1>>>(data: u8[4])
#include "support.h"

__global__ void bytes(unsigned char* data) {
    weak_store_as(u8, data + blockIdx.x, 1);
}
