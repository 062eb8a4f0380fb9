// R4: sixteen bytes are one location, so four words side by side are taken for one. Locations of the PTX memory model are
// bytes.
//@ flags: --iguard-granularity=16
//@ launch: words<<<4, 1>>>(data: u32[4])
#include "support.h"

__global__ void words(unsigned* data) {
    weak_store(data + blockIdx.x, 1);  //~ [iguard] race: missing-sync error (with itself)
}
