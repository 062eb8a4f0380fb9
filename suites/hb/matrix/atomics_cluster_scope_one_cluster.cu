// CLEAN. Scope inclusion: ".cluster = same cluster".
//@ launch: count<<<4, 32, cluster=4>>>(counter: u32[1])
#include "../support.h"

__global__ void count(unsigned* counter) {
    atom_add(relaxed, cluster, counter, 1);
}
