// Prices a path-dependent option by simulated paths, in the manner of Java Grande's montecarlo: threads take
// paths from a common counter and put each result into a list under a lock. Size: paths.

#include "bench.h"

enum { STEPS = 300 };
struct result {
    struct result *next;
    long path;
    double price;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct result *results;
static long next_path;

static double simulate(long path, double *prices) {
    uint64_t seed = (uint64_t)path * 977 + 11;
    prices[0] = 100;
    for (int i = 1; i <= STEPS; i++) {
        double radius = sqrt(-2 * log(1 - bench_random_unit(&seed)));
        double normal = radius * cos(6.283185307179586 * bench_random_unit(&seed));
        prices[i] = prices[i - 1] * (1 + 0.0001 + 0.01 * normal);
    }
    double average = 0;
    for (int i = 1; i <= STEPS; i++) {
        average += prices[i];
    }
    average /= STEPS;
    return average > 100 ? average - 100 : 0;
}

static void work(int self) {
    double *prices = (double *)bench_memory(STEPS + 1, sizeof *prices);
    (void)self;
    while (1) {
        pthread_mutex_lock(&lock);
        long path = next_path++;
        pthread_mutex_unlock(&lock);
        if (path >= bench_size) {
            break;
        }
        struct result *result = (struct result *)bench_memory(1, sizeof *result);
        result->path = path;
        result->price = simulate(path, prices);
        pthread_mutex_lock(&lock);
        result->next = results;
        results = result;
        pthread_mutex_unlock(&lock);
    }
    free(prices);
}

int main(int argc, char **argv) {
    bench_options(argc, argv, 140000);
    bench_team(work);
    double *prices = (double *)bench_memory(bench_size, sizeof *prices);
    while (results != NULL) {
        struct result *result = results;
        results = result->next;
        prices[result->path] = result->price;
        free(result);
    }
    uint64_t sum = 0;
    for (long i = 0; i < bench_size; i++) {
        sum = bench_mix_double(sum, prices[i]);
    }
    bench_result("montecarlo", sum);
    return 0;
}
