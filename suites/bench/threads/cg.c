// Conjugate gradients on a random symmetric sparse matrix, the kind of NPB's CG: products with indirect reads,
// and sums over all threads. Sums are made of fixed chunks, so that they do not depend on the threads.
// Size: thousands of rows.

#include "bench.h"

enum { PAIRS = 6, STEPS = 25, CHUNK = 1000 };
static long rows;
static long *starts;
static int *columns;
static double *values, *x, *r, *p, *q, *chunks;

// Every thread gets the same sum; `chunks` may be written again after the second barrier.
static double dot(const double *a, const double *b, int self) {
    long count = rows / CHUNK, from, to;
    bench_share(count, self, &from, &to);
    for (long c = from; c < to; c++) {
        double sum = 0;
        for (long i = c * CHUNK; i < (c + 1) * CHUNK; i++) {
            sum += a[i] * b[i];
        }
        chunks[c] = sum;
    }
    bench_meet();
    double sum = 0;
    for (long c = 0; c < count; c++) {
        sum += chunks[c];
    }
    bench_meet();
    return sum;
}

static void work(int self) {
    long count = rows / CHUNK, from, to;
    bench_share(count, self, &from, &to);
    from *= CHUNK;
    to *= CHUNK;
    double rho = dot(r, r, self);
    for (int step = 0; step < STEPS; step++) {
        for (long i = from; i < to; i++) {
            double sum = 0;
            for (long k = starts[i]; k < starts[i + 1]; k++) {
                sum += values[k] * p[columns[k]];
            }
            q[i] = sum;
        }
        double alpha = rho / dot(p, q, self);
        for (long i = from; i < to; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        double next = dot(r, r, self);
        double beta = next / rho;
        rho = next;
        for (long i = from; i < to; i++) {
            p[i] = r[i] + beta * p[i];
        }
        bench_meet();
    }
}

static void make_matrix(void) {
    long pairs = rows * PAIRS;
    int *ends = (int *)bench_memory(2 * pairs, sizeof *ends);
    uint64_t seed = 19;
    starts = (long *)bench_memory(rows + 2, sizeof *starts);
    for (long i = 0; i < pairs; i++) {
        ends[2 * i] = (int)(bench_random(&seed) % rows);
        ends[2 * i + 1] = (int)(bench_random(&seed) % rows);
        starts[ends[2 * i] + 1]++;
        starts[ends[2 * i + 1] + 1]++;
    }
    for (long i = 0; i < rows; i++) {
        starts[i + 1] += starts[i] + 1;
    }
    columns = (int *)bench_memory(starts[rows], sizeof *columns);
    values = (double *)bench_memory(starts[rows], sizeof *values);
    long *next = (long *)bench_memory(rows, sizeof *next);
    for (long i = 0; i < rows; i++) {
        next[i] = starts[i] + 1;
        columns[starts[i]] = (int)i;
        values[starts[i]] = 20;
    }
    for (long i = 0; i < pairs; i++) {
        double value = bench_random_unit(&seed) - 0.5;
        for (int side = 0; side < 2; side++) {
            long at = next[ends[2 * i + side]]++;
            columns[at] = ends[2 * i + !side];
            values[at] = value;
        }
    }
    free(next);
    free(ends);
}

int main(int argc, char **argv) {
    bench_options(argc, argv, 500);
    rows = bench_size * 1000;
    make_matrix();
    x = (double *)bench_memory(rows, sizeof *x);
    r = (double *)bench_memory(rows, sizeof *r);
    p = (double *)bench_memory(rows, sizeof *p);
    q = (double *)bench_memory(rows, sizeof *q);
    chunks = (double *)bench_memory(rows / CHUNK, sizeof *chunks);
    for (long i = 0; i < rows; i++) {
        r[i] = p[i] = 1;
    }
    bench_team(work);
    uint64_t sum = 0;
    for (long i = 0; i < rows; i++) {
        sum = bench_mix_double(sum, x[i]);
    }
    bench_result("cg", sum);
    return 0;
}
