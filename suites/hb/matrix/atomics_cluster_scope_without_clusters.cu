// RACY. A launch without clusters: every block is a cluster of its own.
//@ launch: count<<<2, 1>>>(counter: u32[1])
#include "../support.h"

__global__ void count(unsigned* counter) {
    atom_add(relaxed, cluster, counter, 1);  //~ race: scope error (with itself)
}
