// What the programs share: threads in few words, and a way to say which of two accesses comes first
// without ordering them in the memory model.

#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Ends the program when something that cannot fail did.
#define CHECK(condition)                                                          \
    do {                                                                          \
        if (!(condition)) {                                                       \
            fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition); \
            exit(2);                                                              \
        }                                                                         \
    } while (0)

typedef void (*thread_body)(void);

static inline void *thread_main(void *body) {
    ((thread_body)body)();
    return NULL;
}

static inline pthread_t spawn(thread_body body) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, thread_main, (void *)body) == 0);
    return thread;
}

static inline void join(pthread_t thread) {
    CHECK(pthread_join(thread, NULL) == 0);
}

static inline void run_both(thread_body one, thread_body other) {
    pthread_t first = spawn(one);
    pthread_t second = spawn(other);
    join(first);
    join(second);
}

// `reached(n)` and `await(n)` order the execution and nothing in the model: they are relaxed.
static int stage_of_program;

static inline void reached(int stage) {
    __atomic_store_n(&stage_of_program, stage, __ATOMIC_RELAXED);
}

static inline void await(int stage) {
    for (int tries = 0; __atomic_load_n(&stage_of_program, __ATOMIC_RELAXED) < stage; tries++) {
        // Hundreds of threads that wait must not take the processors from those that work.
        tries < 100 ? sched_yield() : usleep(50);
    }
}

// Keeps the compiler from dropping the read of a value.
static inline void use(long value) {
    __asm__ volatile("" : : "r"(value));
}
