// Counts pairs of normal deviates in square rings, the kind of NPB's EP: no shared memory until the counts are
// added under a lock. Size: thousands of pairs.

#include "bench.h"

enum { BATCH = 1000, RINGS = 10 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long rings[RINGS];

static void work(int self) {
    long mine[RINGS] = {0};
    long from, to;
    bench_share(bench_size, self, &from, &to);
    for (long batch = from; batch < to; batch++) {
        uint64_t seed = (uint64_t)batch * 31 + 1;
        for (int i = 0; i < BATCH; i++) {
            double x = 2 * bench_random_unit(&seed) - 1;
            double y = 2 * bench_random_unit(&seed) - 1;
            double square = x * x + y * y;
            if (square <= 1 && square > 0) {
                double factor = sqrt(-2 * log(square) / square);
                double largest = fmax(fabs(x * factor), fabs(y * factor));
                mine[(int)largest < RINGS ? (int)largest : RINGS - 1]++;
            }
        }
    }
    pthread_mutex_lock(&lock);
    for (int i = 0; i < RINGS; i++) {
        rings[i] += mine[i];
    }
    pthread_mutex_unlock(&lock);
}

int main(int argc, char **argv) {
    bench_options(argc, argv, 70000);
    bench_team(work);
    uint64_t sum = 0;
    for (int i = 0; i < RINGS; i++) {
        sum = bench_mix(sum, rings[i]);
    }
    bench_result("ep", sum);
    return 0;
}
