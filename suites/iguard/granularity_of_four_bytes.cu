// R4: four bytes are one location, so neighbours in a word are taken for one. Locations of the PTX memory model are bytes.
//@ launch: bytes<<<2, 1>>>(data: u8[4])
#include "support.h"

__global__ void bytes(unsigned char* data) {
    weak_store_as(u8, data + blockIdx.x, 1);  //~ [iguard] race: missing-sync error (with itself)
}
