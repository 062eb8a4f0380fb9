// RACY. Block scope does not reach the other blocks of the cluster.
//@ launch: count<<<2, 1, cluster=2>>>(out: u32[1])
#include "../support.h"

__global__ void count(unsigned* out) {
    __shared__ unsigned counter;
    weak_store(&counter, 0);
    cluster_barrier();
    atom_add(relaxed, cta, in_block(&counter, 0), 1);  //~ race: scope error (with itself)
    cluster_barrier();
}
