// A Fourier transform of a square of complex numbers, there and back twice, the kind of NPB's FT: rows, a barrier,
// a transposition, a barrier. Size: the logarithm of the number of rows. Much memory.

#include "bench.h"

struct complex_number {
    double re, im;
};

static struct complex_number *square, *turned, *roots;
enum { ROUNDS = 2 };
static long n;

static void transform(struct complex_number *row, int back) {
    for (long i = 1, j = 0; i < n; i++) {
        long bit = n >> 1;
        for (; j & bit; bit >>= 1) {
            j ^= bit;
        }
        j |= bit;
        if (i < j) {
            struct complex_number old = row[i];
            row[i] = row[j];
            row[j] = old;
        }
    }
    for (long half = 1; half < n; half *= 2) {
        for (long start = 0; start < n; start += 2 * half) {
            for (long k = 0; k < half; k++) {
                struct complex_number root = roots[k * (n / (2 * half))];
                if (back) {
                    root.im = -root.im;
                }
                struct complex_number *a = &row[start + k], *b = &row[start + k + half];
                double re = b->re * root.re - b->im * root.im;
                double im = b->re * root.im + b->im * root.re;
                b->re = a->re - re;
                b->im = a->im - im;
                a->re += re;
                a->im += im;
            }
        }
    }
}

static void transpose(struct complex_number *to, const struct complex_number *from, long first, long last) {
    for (long row = first; row < last; row++) {
        for (long at = 0; at < n; at++) {
            to[row * n + at] = from[at * n + row];
        }
    }
}

static void work(int self) {
    long from, to;
    bench_share(n, self, &from, &to);
    for (int pass = 0; pass < 4 * ROUNDS; pass++) {
        struct complex_number *here = pass % 2 ? turned : square;
        struct complex_number *there = pass % 2 ? square : turned;
        for (long row = from; row < to; row++) {
            transform(here + row * n, pass % 4 >= 2);
        }
        bench_meet();
        transpose(there, here, from, to);
        bench_meet();
    }
}

int main(int argc, char **argv) {
    bench_options(argc, argv, 11);
    if (bench_size > 15) {
        fprintf(stderr, "ft: the size is a logarithm, 15 at most\n");
        return 2;
    }
    n = 1L << bench_size;
    square = (struct complex_number *)bench_memory(n * n, sizeof *square);
    turned = (struct complex_number *)bench_memory(n * n, sizeof *turned);
    roots = (struct complex_number *)bench_memory(n, sizeof *roots);
    uint64_t seed = 23;
    for (long i = 0; i < n * n; i++) {
        square[i].re = bench_random_unit(&seed);
        square[i].im = bench_random_unit(&seed);
    }
    for (long i = 0; i < n; i++) {
        roots[i].re = cos(6.283185307179586 * i / n);
        roots[i].im = -sin(6.283185307179586 * i / n);
    }
    bench_team(work);
    uint64_t sum = 0;
    for (long i = 0; i < n * n; i++) {
        sum = bench_mix_double(bench_mix_double(sum, square[i].re), square[i].im);
    }
    bench_result("ft", sum);
    return 0;
}
