// What the programs of this folder share: options, a team of workers, locks, a pipeline, and random numbers and
// checksums that depend on nothing but their seeds.

#pragma once

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 16, MOST_SCALE = 100 };

static int thread_count = 4;
static long scale = 1;

static inline long number_of_option(char **argv, int option, long most) {
    const char *text = argv[option + 1];
    char *end = NULL;
    long number = text == NULL ? 0 : strtol(text, &end, 10);
    if (text == NULL || end == text || *end != '\0' || number < 1 || number > most) {
        fprintf(stderr, "%s: %s takes a number from 1 to %ld, not '%s'\n", argv[0], argv[option], most,
                text == NULL ? "" : text);
        exit(2);
    }
    return number;
}

// Reads `[--threads N] [--scale K]`.
static inline void read_options(int argc, char **argv) {
    for (int i = 1; i < argc; i += 2) {
        if (strcmp(argv[i], "--threads") == 0) {
            thread_count = (int)number_of_option(argv, i, MOST_THREADS);
        } else if (strcmp(argv[i], "--scale") == 0) {
            scale = number_of_option(argv, i, MOST_SCALE);
        } else {
            fprintf(stderr, "%s: '%s' is no option; usage: %s [--threads N] [--scale K]\n", argv[0], argv[i], argv[0]);
            exit(2);
        }
    }
}

// Memory that is zero, and stays until the program ends unless it is freed.
static inline void *new_memory(size_t count, size_t bytes) {
    void *memory = calloc(count, bytes);
    if (memory == NULL) {
        fprintf(stderr, "no memory for %zu times %zu bytes; try a smaller --scale\n", count, bytes);
        exit(1);
    }
    return memory;
}

static inline pthread_mutex_t *new_locks(long count) {
    pthread_mutex_t *locks = new_memory(count, sizeof *locks);
    for (long i = 0; i < count; i++) {
        pthread_mutex_init(&locks[i], NULL);
    }
    return locks;
}

struct worker {
    pthread_t thread;
    int self;
    void (*body)(int self);
};

static struct worker team[MOST_THREADS];
static pthread_barrier_t team_barrier;

// Returns when all workers have come here.
static inline void meet(void) {
    pthread_barrier_wait(&team_barrier);
}

// Where work is handed out piece by piece a thread could take most of it before the others run, on few processors.
static inline void let_others_run(void) {
    sched_yield();
}

// Workers begin together: otherwise the first could have done all the work before the last is there.
static inline void *worker_main(void *argument) {
    struct worker *worker = argument;
    meet();
    worker->body(worker->self);
    return NULL;
}

static inline void start_workers(void (*body)(int self)) {
    pthread_barrier_init(&team_barrier, NULL, thread_count);
    for (int i = 0; i < thread_count; i++) {
        team[i].self = i;
        team[i].body = body;
        if (pthread_create(&team[i].thread, NULL, worker_main, &team[i]) != 0) {
            fprintf(stderr, "the system gives no thread %d; try fewer --threads\n", i + 1);
            exit(1);
        }
    }
}

static inline void join_workers(void) {
    for (int i = 0; i < thread_count; i++) {
        pthread_join(team[i].thread, NULL);
    }
    pthread_barrier_destroy(&team_barrier);
}

static inline void run_workers(void (*body)(int self)) {
    start_workers(body);
    join_workers();
}

struct range {
    long from, to;
};

// The part of 0..count that belongs to a worker.
static inline struct range range_of(int self, long count) {
    struct range range = {count * self / thread_count, count * (self + 1) / thread_count};
    return range;
}

// Stands at the head of what goes through a pipeline.
struct job {
    struct job *next;
};

struct job_queue {
    struct job *first, *last;
};

enum { MOST_STAGES = 4 };

// Jobs wait in a queue for each stage. A worker serves the stage of its own number first, so that jobs go from thread to
// thread; where nothing waits there it helps at the latest stage that has jobs, so that one worker can do everything.
struct pipeline {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int stage_count;
    void (*stages[MOST_STAGES])(struct job *job);
    struct job_queue queues[MOST_STAGES];
    long unfinished;  // Jobs that wait or are worked on. Only they make new ones.
};

static inline void pipeline_put(struct pipeline *pipeline, int stage, struct job *job) {
    struct job_queue *queue = &pipeline->queues[stage];
    job->next = NULL;
    pthread_mutex_lock(&pipeline->lock);
    if (queue->first == NULL) {
        queue->first = job;
    } else {
        queue->last->next = job;
    }
    queue->last = job;
    pipeline->unfinished++;
    pthread_cond_signal(&pipeline->changed);
    pthread_mutex_unlock(&pipeline->lock);
}

// The stage that a worker serves next, or -1. The caller holds the lock.
static inline int pipeline_choose(const struct pipeline *pipeline, int self) {
    int stage = self % pipeline->stage_count;
    if (pipeline->queues[stage].first != NULL) {
        return stage;
    }
    stage = pipeline->stage_count - 1;
    while (stage >= 0 && pipeline->queues[stage].first == NULL) {
        stage--;
    }
    return stage;
}

static inline void pipeline_finish(struct pipeline *pipeline) {
    if (--pipeline->unfinished == 0) {
        pthread_cond_broadcast(&pipeline->changed);
    }
}

// Serves the pipeline until no job is left.
static inline void pipeline_serve(struct pipeline *pipeline, int self) {
    pthread_mutex_lock(&pipeline->lock);
    while (pipeline->unfinished > 0) {
        int stage = pipeline_choose(pipeline, self);
        if (stage < 0) {
            pthread_cond_wait(&pipeline->changed, &pipeline->lock);
            continue;
        }
        struct job *job = pipeline->queues[stage].first;
        pipeline->queues[stage].first = job->next;
        pthread_mutex_unlock(&pipeline->lock);
        pipeline->stages[stage](job);
        let_others_run();
        pthread_mutex_lock(&pipeline->lock);
        pipeline_finish(pipeline);
    }
    pthread_mutex_unlock(&pipeline->lock);
}

static inline uint64_t mix(uint64_t sum, uint64_t value) {
    uint64_t x = (sum ^ value) + 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static inline uint64_t next_random(uint64_t *state) {
    *state += 0x9e3779b97f4a7c15u;
    return mix(*state, 0);
}

// From 0 to less than 1.
static inline float random_unit(uint64_t *state) {
    return (float)(next_random(state) >> 40) * 0x1p-24f;
}

static inline uint64_t mix_float(uint64_t sum, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return mix(sum, bits);
}

static inline uint64_t mix_bytes(uint64_t sum, const uint8_t *bytes, long count) {
    for (long i = 0; i < count; i++) {
        sum = mix(sum, bytes[i]);
    }
    return sum;
}

static inline void print_result(const char *name, uint64_t checksum) {
    printf("%s: threads %d checksum %016llx\n", name, thread_count, (unsigned long long)checksum);
}
