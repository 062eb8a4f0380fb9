// Instructions that CUDA C++ has no short name for. Functions are for operations that take part in no race of these
// programs; macros are for copies, whose line in the program itself is part of an expectation.
#pragma once

// Strong loads and stores at gpu scope, and at block scope.
__device__ inline unsigned load_relaxed(const unsigned* place) {
    unsigned value;
    asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(value) : "l"(place) : "memory");
    return value;
}

__device__ inline unsigned load_acquire(const unsigned* place) {
    unsigned value;
    asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(value) : "l"(place) : "memory");
    return value;
}

__device__ inline void store_relaxed(unsigned* place, unsigned value) {
    asm volatile("st.relaxed.gpu.u32 [%0], %1;" ::"l"(place), "r"(value) : "memory");
}

__device__ inline void store_release(unsigned* place, unsigned value) {
    asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(place), "r"(value) : "memory");
}

__device__ inline unsigned load_relaxed_block(const unsigned* place) {
    unsigned value;
    asm volatile("ld.relaxed.cta.u32 %0, [%1];" : "=r"(value) : "l"(place) : "memory");
    return value;
}

__device__ inline unsigned load_acquire_block(const unsigned* place) {
    unsigned value;
    asm volatile("ld.acquire.cta.u32 %0, [%1];" : "=r"(value) : "l"(place) : "memory");
    return value;
}

__device__ inline void store_relaxed_block(unsigned* place, unsigned value) {
    asm volatile("st.relaxed.cta.u32 [%0], %1;" ::"l"(place), "r"(value) : "memory");
}

__device__ inline void store_release_block(unsigned* place, unsigned value) {
    asm volatile("st.release.cta.u32 [%0], %1;" ::"l"(place), "r"(value) : "memory");
}

// Atomics at gpu scope with an order.
__device__ inline unsigned compare_and_swap_acquire(unsigned* place, unsigned expected, unsigned desired) {
    unsigned old;
    asm volatile("atom.acquire.gpu.cas.b32 %0, [%1], %2, %3;" : "=r"(old) : "l"(place), "r"(expected), "r"(desired) : "memory");
    return old;
}

__device__ inline unsigned exchange_acquire(unsigned* place, unsigned value) {
    unsigned old;
    asm volatile("atom.acquire.gpu.exch.b32 %0, [%1], %2;" : "=r"(old) : "l"(place), "r"(value) : "memory");
    return old;
}

__device__ inline unsigned add_acquire_release(unsigned* place, unsigned value) {
    unsigned old;
    asm volatile("atom.acq_rel.gpu.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(place), "r"(value) : "memory");
    return old;
}

// Named barriers of a block.
__device__ inline void named_barrier_sync(unsigned barrier, unsigned threads) {
    asm volatile("barrier.cta.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

__device__ inline void named_barrier_arrive(unsigned barrier, unsigned threads) {
    asm volatile("barrier.cta.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

// Clusters.
__device__ inline unsigned shared_address(const void* pointer) {
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

__device__ inline unsigned cluster_rank() {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

// The address of the same variable in another block of the cluster.
__device__ inline unsigned address_in_block(unsigned address, unsigned rank) {
    unsigned remote;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(address), "r"(rank));
    return remote;
}

__device__ inline void cluster_arrive() {
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}

__device__ inline void cluster_arrive_relaxed() {
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}

__device__ inline void cluster_wait() {
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__device__ inline void cluster_sync() {
    cluster_arrive();
    cluster_wait();
}

// mbarrier objects.
__device__ inline void mbarrier_init(unsigned long long* object, unsigned count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(object)), "r"(count) : "memory");
}

__device__ inline void mbarrier_arrive(unsigned long long* object) {
    asm volatile("{.reg .b64 state; mbarrier.arrive.shared.b64 state, [%0];}" ::"r"(shared_address(object)) : "memory");
}

__device__ inline void mbarrier_arrive_relaxed(unsigned long long* object) {
    asm volatile("{.reg .b64 state; mbarrier.arrive.relaxed.cta.shared::cta.b64 state, [%0];}" ::"r"(shared_address(object)) : "memory");
}

__device__ inline void mbarrier_arrive_in_block(unsigned long long* object, unsigned rank) {
    unsigned remote = address_in_block(shared_address(object), rank);
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(remote) : "memory");
}

__device__ inline void mbarrier_arrive_expecting(unsigned long long* object, unsigned bytes) {
    asm volatile("{.reg .b64 state; mbarrier.arrive.expect_tx.shared.b64 state, [%0], %1;}" ::"r"(shared_address(object)), "r"(bytes)
                 : "memory");
}

__device__ inline bool mbarrier_try_wait(unsigned long long* object, unsigned parity) {
    unsigned done;
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                 : "=r"(done)
                 : "r"(shared_address(object)), "r"(parity)
                 : "memory");
    return done != 0;
}

__device__ inline void mbarrier_wait(unsigned long long* object, unsigned parity) {
    while (!mbarrier_try_wait(object, parity)) {
    }
}

__device__ inline void mbarrier_wait_relaxed(unsigned long long* object, unsigned parity) {
    unsigned done = 0;
    while (done == 0) {
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                     : "=r"(done)
                     : "r"(shared_address(object)), "r"(parity)
                     : "memory");
    }
}

__device__ inline void mbarrier_wait_cluster(unsigned long long* object, unsigned parity) {
    unsigned done = 0;
    while (done == 0) {
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                     : "=r"(done)
                     : "r"(shared_address(object)), "r"(parity)
                     : "memory");
    }
}

__device__ inline void mbarrier_invalidate(unsigned long long* object) {
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(shared_address(object)) : "memory");
}

// Asynchronous copies of a thread (cp.async) and what waits for them.
#define COPY_ASYNC_4(to, from) \
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(to)), "l"(__cvta_generic_to_global(from)) : "memory")
#define COPY_ASYNC_16(to, from) \
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(__cvta_generic_to_global(from)) : "memory")

__device__ inline void copy_commit() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}

template <int LEFT>
__device__ inline void copy_wait_group() {
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
}

__device__ inline void copy_wait_all() {
    asm volatile("cp.async.wait_all;" ::: "memory");
}

// The barrier hears of the thread's copies so far when they are complete; the arrival counts as one.
__device__ inline void copy_arrive_on(unsigned long long* object) {
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(object)) : "memory");
}

// Bulk copies (cp.async.bulk), which go through the asynchronous proxy.
#define BULK_LOAD(to, from, bytes, object) \
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(to)), \
                 "l"(__cvta_generic_to_global(from)), "r"(static_cast<unsigned>(bytes)), "r"(shared_address(object)) \
                 : "memory")
#define BULK_STORE(to, from, bytes) \
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)), \
                 "r"(shared_address(from)), "r"(static_cast<unsigned>(bytes)) \
                 : "memory")
#define BULK_ADD(to, from, bytes) \
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)), \
                 "r"(shared_address(from)), "r"(static_cast<unsigned>(bytes)) \
                 : "memory")
#define BULK_TO_BLOCK(remote, from, bytes, remote_object) \
    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(remote), \
                 "r"(shared_address(from)), "r"(static_cast<unsigned>(bytes)), "r"(remote_object) \
                 : "memory")

__device__ inline void bulk_commit() {
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

__device__ inline void bulk_wait() {
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

__device__ inline void bulk_wait_read() {
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

__device__ inline void fence_proxy_async() {
    asm volatile("fence.proxy.async;" ::: "memory");
}
