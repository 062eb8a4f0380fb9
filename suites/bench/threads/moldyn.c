// Particles under a Lennard-Jones force in a periodic box, in the manner of Java Grande's moldyn: forces, a
// barrier, moves, a barrier. Size: particles.

#include "bench.h"

enum { STEPS = 10 };
static double (*positions)[3], (*velocities)[3], (*forces)[3];
static double *energies;
static long n;
static double box;

static void step_forces(long from, long to) {
    for (long i = from; i < to; i++) {
        double force[3] = {0, 0, 0};
        double energy = 0;
        for (long j = 0; j < n; j++) {
            double difference[3];
            double square = 0;
            for (int axis = 0; axis < 3; axis++) {
                double d = positions[i][axis] - positions[j][axis];
                d -= box * rint(d / box);
                difference[axis] = d;
                square += d * d;
            }
            if (j == i || square > 6.25) {
                continue;
            }
            double inverse = 1 / (square < 0.5 ? 0.5 : square);
            double sixth = inverse * inverse * inverse;
            double strength = 24 * inverse * sixth * (2 * sixth - 1);
            energy += 4 * sixth * (sixth - 1);
            for (int axis = 0; axis < 3; axis++) {
                force[axis] += strength * difference[axis];
            }
        }
        for (int axis = 0; axis < 3; axis++) {
            forces[i][axis] = force[axis];
        }
        energies[i] = energy;
    }
}

static void work(int self) {
    long from, to;
    bench_share(n, self, &from, &to);
    for (int step = 0; step < STEPS; step++) {
        step_forces(from, to);
        bench_meet();
        for (long i = from; i < to; i++) {
            for (int axis = 0; axis < 3; axis++) {
                velocities[i][axis] += 1e-4 * forces[i][axis];
                positions[i][axis] += 1e-2 * velocities[i][axis];
            }
        }
        bench_meet();
    }
}

int main(int argc, char **argv) {
    bench_options(argc, argv, 4000);
    n = bench_size;
    box = cbrt(n / 0.8);
    positions = (double(*)[3])bench_memory(n, sizeof *positions);
    velocities = (double(*)[3])bench_memory(n, sizeof *velocities);
    forces = (double(*)[3])bench_memory(n, sizeof *forces);
    energies = (double *)bench_memory(n, sizeof *energies);
    uint64_t seed = 5;
    for (long i = 0; i < n; i++) {
        for (int axis = 0; axis < 3; axis++) {
            positions[i][axis] = box * bench_random_unit(&seed);
            velocities[i][axis] = bench_random_unit(&seed) - 0.5;
        }
    }
    bench_team(work);
    uint64_t sum = 0;
    for (long i = 0; i < n; i++) {
        sum = bench_mix_double(bench_mix_double(sum, positions[i][0]), energies[i]);
    }
    bench_result("moldyn", sum);
    return 0;
}
