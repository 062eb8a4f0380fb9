// RACY. Scope inclusion: ".cluster = same cluster", and there are two.
//@ launch: count<<<4, 1, cluster=2>>>(counter: u32[1])
#include "../support.h"

__global__ void count(unsigned* counter) {
    atom_add(relaxed, cluster, counter, 1);  //~ race: scope error (with itself)
}
