// Factors a dense matrix with partial pivoting and solves with it, in the manner of Java Grande's lufact: the
// columns behind the pivot are dealt out, and a barrier ends each step. Size: rows of the matrix.

#include "bench.h"

static double *matrix;  // column after column
static int *pivots;
static long n;

static double *column(long j) {
    return matrix + j * n;
}

static void factor(int self) {
    for (long k = 0; k < n - 1; k++) {
        double *pivot_column = column(k);
        if (self == k % bench_threads) {
            long best = k;
            for (long i = k + 1; i < n; i++) {
                if (fabs(pivot_column[i]) > fabs(pivot_column[best])) {
                    best = i;
                }
            }
            pivots[k] = (int)best;
            double pivot = pivot_column[best];
            pivot_column[best] = pivot_column[k];
            pivot_column[k] = pivot;
            for (long i = k + 1; i < n; i++) {
                pivot_column[i] /= pivot;
            }
        }
        bench_meet();
        long best = pivots[k];
        for (long j = k + 1; j < n; j++) {
            if (j % bench_threads != self) {
                continue;
            }
            double *target = column(j);
            double factor = target[best];
            target[best] = target[k];
            target[k] = factor;
            for (long i = k + 1; i < n; i++) {
                target[i] -= factor * pivot_column[i];
            }
        }
        bench_meet();
    }
}

int main(int argc, char **argv) {
    bench_options(argc, argv, 1600);
    n = bench_size;
    matrix = (double *)bench_memory(n * n, sizeof *matrix);
    pivots = (int *)bench_memory(n, sizeof *pivots);
    uint64_t seed = 3;
    for (long i = 0; i < n * n; i++) {
        matrix[i] = bench_random_unit(&seed) - 0.5;
    }
    bench_team(factor);
    uint64_t sum = 0;
    for (long k = 0; k < n; k++) {
        sum = bench_mix_double(bench_mix(sum, pivots[k]), column(k)[k]);
    }
    bench_result("lufact", sum);
    return 0;
}
