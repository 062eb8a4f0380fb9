// Multigrid for Poisson's equation on a cube, the kind of NPB's MG: smoothing, restriction and interpolation on
// grids of every size, with a barrier after each. Size: the logarithm of the cells along an edge. Much memory.

#include "bench.h"

enum { CYCLES = 12, SMOOTHINGS = 2, MOST_LEVELS = 12 };
static double *solution[MOST_LEVELS], *other[MOST_LEVELS], *right[MOST_LEVELS];

static long edge(int level) {
    return (1L << level) + 2;
}

static double around(const double *grid, long at, long e) {
    return grid[at - 1] + grid[at + 1] + grid[at - e] + grid[at + e] + grid[at - e * e] + grid[at + e * e];
}

static void smooth(int level, int self) {
    long e = edge(level), from, to;
    bench_share(e - 2, self, &from, &to);
    for (int pass = 0; pass < 2 * SMOOTHINGS; pass++) {
        const double *in = pass % 2 ? other[level] : solution[level];
        double *out = pass % 2 ? solution[level] : other[level];
        for (long z = from + 1; z <= to; z++) {
            for (long y = 1; y < e - 1; y++) {
                for (long x = 1; x < e - 1; x++) {
                    long at = (z * e + y) * e + x;
                    out[at] = in[at] + 0.8 / 6 * (around(in, at, e) - 6 * in[at] + right[level][at]);
                }
            }
        }
        bench_meet();
    }
}

static void residual(int level, int self) {
    long e = edge(level), from, to;
    bench_share(e - 2, self, &from, &to);
    for (long z = from + 1; z <= to; z++) {
        for (long y = 1; y < e - 1; y++) {
            for (long x = 1; x < e - 1; x++) {
                long at = (z * e + y) * e + x;
                other[level][at] = right[level][at] + around(solution[level], at, e) - 6 * solution[level][at];
            }
        }
    }
    bench_meet();
}

static void restrict_to_coarse(int level, int self) {
    long fine = edge(level), e = edge(level - 1), from, to;
    bench_share(e - 2, self, &from, &to);
    for (long z = from + 1; z <= to; z++) {
        for (long y = 1; y < e - 1; y++) {
            for (long x = 1; x < e - 1; x++) {
                double sum = 0;
                for (int corner = 0; corner < 8; corner++) {
                    long fz = 2 * z - 1 + corner / 4, fy = 2 * y - 1 + corner / 2 % 2, fx = 2 * x - 1 + corner % 2;
                    sum += other[level][(fz * fine + fy) * fine + fx];
                }
                long at = (z * e + y) * e + x;
                right[level - 1][at] = sum / 2;
                solution[level - 1][at] = 0;
            }
        }
    }
    bench_meet();
}

static void interpolate(int level, int self) {
    long e = edge(level), coarse = edge(level - 1), from, to;
    bench_share(e - 2, self, &from, &to);
    for (long z = from + 1; z <= to; z++) {
        for (long y = 1; y < e - 1; y++) {
            for (long x = 1; x < e - 1; x++) {
                long at = ((z + 1) / 2 * coarse + (y + 1) / 2) * coarse + (x + 1) / 2;
                solution[level][(z * e + y) * e + x] += solution[level - 1][at];
            }
        }
    }
    bench_meet();
}

static void cycle(int level, int self) {
    smooth(level, self);
    if (level > 1) {
        residual(level, self);
        restrict_to_coarse(level, self);
        cycle(level - 1, self);
        interpolate(level, self);
        smooth(level, self);
    }
}

static void work(int self) {
    for (int i = 0; i < CYCLES; i++) {
        cycle((int)bench_size, self);
    }
}

int main(int argc, char **argv) {
    bench_options(argc, argv, 7);
    if (bench_size >= MOST_LEVELS) {
        fprintf(stderr, "mg: the size is a logarithm, %d at most\n", MOST_LEVELS - 1);
        return 2;
    }
    for (int level = 1; level <= bench_size; level++) {
        long cells = edge(level) * edge(level) * edge(level);
        solution[level] = (double *)bench_memory(cells, sizeof(double));
        other[level] = (double *)bench_memory(cells, sizeof(double));
        right[level] = (double *)bench_memory(cells, sizeof(double));
    }
    long e = edge((int)bench_size);
    uint64_t seed = 37;
    for (int i = 0; i < 40; i++) {
        long at = 0;
        for (int axis = 0; axis < 3; axis++) {
            at = at * e + 1 + (long)(bench_random(&seed) % (e - 2));
        }
        right[bench_size][at] = i % 2 ? 1 : -1;
    }
    bench_team(work);
    uint64_t sum = 0;
    for (long i = 0; i < e * e * e; i++) {
        sum = bench_mix_double(sum, solution[bench_size][i]);
    }
    bench_result("mg", sum);
    return 0;
}
