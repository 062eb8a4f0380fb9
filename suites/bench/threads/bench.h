// What the programs of this folder share: options, a team of threads, and random numbers that depend on
// nothing but their seed.

#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int bench_threads = 2;
static long bench_size;

// Reads `[--threads N] [--size N]`.
static inline void bench_options(int argc, char **argv, long default_size) {
    bench_size = default_size;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--threads") == 0 && i + 1 < argc) {
            bench_threads = atoi(argv[++i]);
        } else if (strcmp(argv[i], "--size") == 0 && i + 1 < argc) {
            bench_size = atol(argv[++i]);
        } else {
            fprintf(stderr, "usage: %s [--threads N] [--size N]\n", argv[0]);
            exit(2);
        }
    }
    if (bench_threads < 1 || bench_threads > 1024 || bench_size < 1) {
        fprintf(stderr, "%s: threads are 1 to 1024, the size is at least 1\n", argv[0]);
        exit(2);
    }
}

static inline void *bench_memory(size_t count, size_t bytes) {
    void *memory = calloc(count, bytes);
    if (memory == NULL) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    return memory;
}

struct bench_member {
    pthread_t thread;
    int self;
    void (*body)(int self);
};

static pthread_barrier_t bench_barrier;

static inline void *bench_member_main(void *argument) {
    struct bench_member *member = (struct bench_member *)argument;
    member->body(member->self);
    return NULL;
}

// Runs `body` in every thread of the team, the caller among them, and returns when all are done.
static inline void bench_team(void (*body)(int self)) {
    struct bench_member *members = (struct bench_member *)bench_memory(bench_threads, sizeof *members);
    pthread_barrier_init(&bench_barrier, NULL, bench_threads);
    for (int i = 1; i < bench_threads; i++) {
        members[i].self = i;
        members[i].body = body;
        if (pthread_create(&members[i].thread, NULL, bench_member_main, &members[i]) != 0) {
            fprintf(stderr, "no more threads\n");
            exit(2);
        }
    }
    body(0);
    for (int i = 1; i < bench_threads; i++) {
        pthread_join(members[i].thread, NULL);
    }
    pthread_barrier_destroy(&bench_barrier);
    free(members);
}

static inline void bench_meet(void) {
    pthread_barrier_wait(&bench_barrier);
}

// The part of 0..count that belongs to a thread is from..to.
static inline void bench_share(long count, int self, long *from, long *to) {
    *from = count * self / bench_threads;
    *to = count * (self + 1) / bench_threads;
}

static inline uint64_t bench_random(uint64_t *state) {
    uint64_t x = (*state += 0x9e3779b97f4a7c15u);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

// From 0 to less than 1.
static inline double bench_random_unit(uint64_t *state) {
    return (double)(bench_random(state) >> 11) * 0x1p-53;
}

static inline uint64_t bench_mix(uint64_t sum, uint64_t value) {
    uint64_t state = sum ^ value;
    return bench_random(&state);
}

// A checksum takes doubles as they are: the programs add in an order that does not depend on the threads.
static inline uint64_t bench_mix_double(uint64_t sum, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bench_mix(sum, bits);
}

static inline void bench_result(const char *name, uint64_t checksum) {
    printf("%s %ld %016llx\n", name, bench_size, (unsigned long long)checksum);
}
