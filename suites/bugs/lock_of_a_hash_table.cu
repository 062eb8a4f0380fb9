// RACY. Locks, blocks: the two bugs that the thesis found in a hash table. No fence after taking, and a store without a fence to give
// the lock back, which races with the next one who takes it.
//@ launch: lock_of_a_hash_table<<<2, 1>>>(lock: u32[1], bucket: u32[1])
#include "support.h"

__global__ void lock_of_a_hash_table(unsigned* lock, unsigned* bucket) {
    while (atomicCAS(lock, 0u, 1u) != 0u) {
    }
    weak_store(bucket, weak_load(bucket) + 1);  //~ [barracuda, curd] race: missing-sync (with itself) by barracuda READEXCL  //~ [hb] race: missing-fence error (with itself) by hb "a flag or lock hand-off without its fence"
    strong_store(relaxed, gpu, lock, 0);  //~ [barracuda, curd] race: missing-sync (with line 7) by barracuda INITATOMEXCL
}
