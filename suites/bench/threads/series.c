// Fourier coefficients of (x + 1)^x by the trapezoid rule, in the manner of Java Grande's series: hardly any
// shared memory. Size: coefficients.

#include "bench.h"

enum { POINTS = 1000 };
static double (*coefficients)[2];

static double integral(double frequency, int sine) {
    double sum = 0;
    for (int i = 0; i <= POINTS; i++) {
        double x = 2.0 * i / POINTS;
        double value = pow(x + 1, x) * (sine ? sin(frequency * x) : cos(frequency * x));
        sum += i == 0 || i == POINTS ? value / 2 : value;
    }
    return sum * 2 / POINTS;
}

static void work(int self) {
    long from, to;
    bench_share(bench_size, self, &from, &to);
    for (long i = from; i < to; i++) {
        coefficients[i][0] = integral(3.141592653589793 * i, 0);
        coefficients[i][1] = integral(3.141592653589793 * i, 1);
    }
}

int main(int argc, char **argv) {
    bench_options(argc, argv, 20000);
    coefficients = (double(*)[2])bench_memory(bench_size, sizeof *coefficients);
    bench_team(work);
    uint64_t sum = 0;
    for (long i = 0; i < bench_size; i++) {
        sum = bench_mix_double(bench_mix_double(sum, coefficients[i][0]), coefficients[i][1]);
    }
    bench_result("series", sum);
    return 0;
}
