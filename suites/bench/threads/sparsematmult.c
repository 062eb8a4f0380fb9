// Multiplies a sparse matrix with a vector again and again, in the manner of Java Grande's sparsematmult: each
// thread has rows of its own and reads anywhere. Size: thousands of rows. Much memory.

#include "bench.h"

enum { PER_ROW = 12, ROUNDS = 60 };
static double *values, *x, *y;
static int *columns;
static long rows;

static void work(int self) {
    long from, to;
    bench_share(rows, self, &from, &to);
    for (int round = 0; round < ROUNDS; round++) {
        const double *in = round % 2 ? y : x;
        double *out = round % 2 ? x : y;
        for (long row = from; row < to; row++) {
            double sum = 0;
            for (long k = row * PER_ROW; k < (row + 1) * PER_ROW; k++) {
                sum += values[k] * in[columns[k]];
            }
            out[row] = sum;
        }
        bench_meet();
    }
}

int main(int argc, char **argv) {
    bench_options(argc, argv, 350);
    rows = bench_size * 1000;
    values = (double *)bench_memory(rows * PER_ROW, sizeof *values);
    columns = (int *)bench_memory(rows * PER_ROW, sizeof *columns);
    x = (double *)bench_memory(rows, sizeof *x);
    y = (double *)bench_memory(rows, sizeof *y);
    uint64_t seed = 17;
    for (long i = 0; i < rows * PER_ROW; i++) {
        values[i] = bench_random_unit(&seed) / PER_ROW * 2;
        columns[i] = (int)(bench_random(&seed) % rows);
    }
    for (long i = 0; i < rows; i++) {
        x[i] = bench_random_unit(&seed);
    }
    bench_team(work);
    uint64_t sum = 0;
    for (long i = 0; i < rows; i++) {
        sum = bench_mix_double(bench_mix_double(sum, x[i]), y[i]);
    }
    bench_result("sparsematmult", sum);
    return 0;
}
