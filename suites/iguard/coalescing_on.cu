// P3: one lane checks for all that update one address, and is remembered as the accessor. So the store of that lane is in
// program order, though other lanes were there, too.
//@ launch: update<<<1, 32>>>(data: u32[1])
#include "support.h"

__global__ void update(unsigned* data) {
    atom_add(relaxed, gpu, data, 1);
    if (threadIdx.x == 0) {
        weak_store(data, 0);  //~ [hb] race: warp-sync error (with line 7)
    }
}
