// Successive over-relaxation on a square grid in two colours, in the manner of Java Grande's sor: a barrier
// after each colour. Size: rows of the grid. Much memory.

#include "bench.h"

enum { SWEEPS = 100 };
static double *grid;

static void work(int self) {
    long n = bench_size, from, to;
    bench_share(n - 2, self, &from, &to);
    for (int half = 0; half < 2 * SWEEPS; half++) {
        for (long row = from + 1; row <= to; row++) {
            double *here = grid + row * n;
            const double *above = here - n, *below = here + n;
            for (long at = 1 + (row + half) % 2; at < n - 1; at += 2) {
                double around = above[at] + below[at] + here[at - 1] + here[at + 1];
                here[at] = 1.25 * 0.25 * around + (1 - 1.25) * here[at];
            }
        }
        bench_meet();
    }
}

int main(int argc, char **argv) {
    bench_options(argc, argv, 2000);
    long n = bench_size;
    grid = (double *)bench_memory(n * n, sizeof *grid);
    uint64_t seed = 13;
    for (long i = 0; i < n * n; i++) {
        grid[i] = bench_random_unit(&seed);
    }
    bench_team(work);
    uint64_t sum = 0;
    for (long i = 0; i < n * n; i++) {
        sum = bench_mix_double(sum, grid[i]);
    }
    bench_result("sor", sum);
    return 0;
}
