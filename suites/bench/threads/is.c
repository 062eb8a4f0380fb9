// Sorts integers by counting, digit after digit, the kind of NPB's IS: counts of each thread, a barrier, places
// from all counts, a barrier, scattered writes. Size: thousands of keys. Much memory.

#include "bench.h"

enum { BITS = 8, BUCKETS = 1 << BITS, DIGITS = 4 };
static uint32_t *keys, *other_keys;
static long (*counts)[BUCKETS];
static long n;

static void work(int self) {
    long from, to;
    bench_share(n, self, &from, &to);
    uint32_t *in = keys, *out = other_keys;
    for (int digit = 0; digit < DIGITS; digit++) {
        int shift = digit * BITS;
        memset(counts[self], 0, sizeof counts[self]);
        for (long i = from; i < to; i++) {
            counts[self][in[i] >> shift & (BUCKETS - 1)]++;
        }
        bench_meet();
        long places[BUCKETS];
        long total = 0;
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            for (int thread = 0; thread < bench_threads; thread++) {
                if (thread == self) {
                    places[bucket] = total;
                }
                total += counts[thread][bucket];
            }
        }
        for (long i = from; i < to; i++) {
            out[places[in[i] >> shift & (BUCKETS - 1)]++] = in[i];
        }
        bench_meet();
        uint32_t *old = in;
        in = out;
        out = old;
    }
}

int main(int argc, char **argv) {
    bench_options(argc, argv, 40000);
    n = bench_size * 1000;
    keys = (uint32_t *)bench_memory(n, sizeof *keys);
    other_keys = (uint32_t *)bench_memory(n, sizeof *other_keys);
    counts = (long(*)[BUCKETS])bench_memory(bench_threads, sizeof *counts);
    uint64_t seed = 29;
    for (long i = 0; i < n; i++) {
        keys[i] = (uint32_t)bench_random(&seed);
    }
    bench_team(work);
    uint64_t sum = 0;
    for (long i = 0; i < n; i++) {
        if (i > 0 && keys[i - 1] > keys[i]) {
            fprintf(stderr, "is: not sorted\n");
            return 1;
        }
        sum = bench_mix(sum, keys[i]);
    }
    bench_result("is", sum);
    return 0;
}
