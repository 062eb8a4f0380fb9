// One PTX instruction each, so that a program says exactly which access it makes and the compiler can neither
// drop nor move nor strengthen it. They are macros, with lambdas where a value comes back, because the line of a
// report is then that of the program.
// Addresses are generic: global, shared and distributed shared memory alike. All accesses have 4 bytes, unless a
// type is given. ORDER is relaxed, acquire, release or acq_rel; SCOPE is cta, cluster, gpu or sys.
#pragma once

// Weak and volatile accesses.
#define weak_load(p) LOAD_AS("ld.u32", p)
#define weak_store(p, v) STORE_AS("st.u32", p, v)
#define volatile_load(p) LOAD_AS("ld.volatile.u32", p)
#define volatile_store(p, v) STORE_AS("st.volatile.u32", p, v)

// Strong accesses.
#define strong_load(ORDER, SCOPE, p) LOAD_AS("ld." #ORDER "." #SCOPE ".u32", p)
#define strong_store(ORDER, SCOPE, p, v) STORE_AS("st." #ORDER "." #SCOPE ".u32", p, v)

// Atomics: they give back the old value.
#define atom_add(ORDER, SCOPE, p, v) ATOM_AS("atom." #ORDER "." #SCOPE ".add.u32", p, v)
#define atom_exch(ORDER, SCOPE, p, v) ATOM_AS("atom." #ORDER "." #SCOPE ".exch.b32", p, v)
#define atom_cas(ORDER, SCOPE, p, expected, v)                                                            \
    ([&] {                                                                                                \
        unsigned old_;                                                                                    \
        asm volatile("atom." #ORDER "." #SCOPE ".cas.b32 %0, [%1], %2, %3;"                               \
                     : "=r"(old_)                                                                         \
                     : "l"(p), "r"((unsigned)(expected)), "r"((unsigned)(v))                              \
                     : "memory");                                                                         \
        return old_;                                                                                      \
    }())

// An addition that gives back nothing.
#define red_add(ORDER, SCOPE, p, v) STORE_AS("red." #ORDER "." #SCOPE ".add.u32", p, v)

// ORDER of a fence is acq_rel or sc.
#define fence(ORDER, SCOPE) asm volatile("fence." #ORDER "." #SCOPE ";" ::: "memory")

// Block barriers by number: wait for, or only announce, so many threads.
#define barrier_sync(number, threads)                                                                     \
    asm volatile("barrier.sync %0, %1;" ::"r"(number), "r"(threads) : "memory")
#define barrier_arrive(number, threads)                                                                   \
    asm volatile("barrier.arrive %0, %1;" ::"r"(number), "r"(threads) : "memory")

// Cluster barriers.
#define cluster_arrive() asm volatile("barrier.cluster.arrive;" ::: "memory")
#define cluster_arrive_relaxed() asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory")
#define cluster_wait() asm volatile("barrier.cluster.wait;" ::: "memory")
#define cluster_barrier()                                                                                 \
    do {                                                                                                  \
        cluster_arrive();                                                                                 \
        cluster_wait();                                                                                   \
    } while (0)

// The place of a shared variable in the block of the cluster with this rank.
#define in_block(own, rank)                                                                               \
    ([&] {                                                                                                \
        unsigned long long other_;                                                                        \
        asm volatile("mapa.u64 %0, %1, %2;" : "=l"(other_) : "l"(own), "r"((unsigned)(rank)));            \
        return (unsigned*)other_;                                                                         \
    }())

// Accesses of another size: TYPE is u8 or u16.
#define weak_load_as(TYPE, p) LOAD_AS("ld." #TYPE, p)
#define weak_store_as(TYPE, p, v) STORE_AS("st." #TYPE, p, v)
#define strong_load_as(TYPE, ORDER, SCOPE, p) LOAD_AS("ld." #ORDER "." #SCOPE "." #TYPE, p)
#define strong_store_as(TYPE, ORDER, SCOPE, p, v) STORE_AS("st." #ORDER "." #SCOPE "." #TYPE, p, v)
#define strong_load_u64(ORDER, SCOPE, p)                                                                  \
    ([&] {                                                                                                \
        unsigned long long loaded_;                                                                       \
        asm volatile("ld." #ORDER "." #SCOPE ".u64 %0, [%1];" : "=l"(loaded_) : "l"(p) : "memory");       \
        return loaded_;                                                                                   \
    }())
#define strong_store_u64(ORDER, SCOPE, p, v)                                                              \
    asm volatile("st." #ORDER "." #SCOPE ".u64 [%0], %1;" ::"l"(p), "l"((unsigned long long)(v)) : "memory")

// What the others are made of.
#define LOAD_AS(INSTRUCTION, p)                                                                           \
    ([&] {                                                                                                \
        unsigned loaded_;                                                                                 \
        asm volatile(INSTRUCTION " %0, [%1];" : "=r"(loaded_) : "l"(p) : "memory");                       \
        return loaded_;                                                                                   \
    }())
#define STORE_AS(INSTRUCTION, p, v)                                                                       \
    asm volatile(INSTRUCTION " [%0], %1;" ::"l"(p), "r"((unsigned)(v)) : "memory")
#define ATOM_AS(INSTRUCTION, p, v)                                                                        \
    ([&] {                                                                                                \
        unsigned old_;                                                                                    \
        asm volatile(INSTRUCTION " %0, [%1], %2;" : "=r"(old_) : "l"(p), "r"((unsigned)(v)) : "memory");  \
        return old_;                                                                                      \
    }())
