// Renders 64 spheres with shadows and reflections, in the manner of Java Grande's raytracer: rows are dealt
// out in turn, and all threads read the scene. Size: rows and columns of the picture.

#include "bench.h"

enum { SPHERES = 64, DEPTH = 4 };
struct vector {
    double x, y, z;
};
struct sphere {
    struct vector centre, colour;
    double radius, shine;
};

static struct sphere *scene;
static uint32_t *picture;
static const struct vector light = {-20, 40, -30};

static struct vector sum(struct vector a, struct vector b, double factor) {
    struct vector result = {a.x + factor * b.x, a.y + factor * b.y, a.z + factor * b.z};
    return result;
}

static double product(struct vector a, struct vector b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static struct vector unit(struct vector a) {
    struct vector zero = {0, 0, 0};
    return sum(zero, a, 1 / sqrt(product(a, a)));
}

static const struct sphere *nearest(struct vector from, struct vector way, double *distance) {
    const struct sphere *found = NULL;
    *distance = 1e9;
    for (int i = 0; i < SPHERES; i++) {
        struct vector to = sum(scene[i].centre, from, -1);
        double along = product(to, way);
        double square = scene[i].radius * scene[i].radius - product(to, to) + along * along;
        if (square > 0) {
            double hit = along - sqrt(square);
            if (hit > 1e-4 && hit < *distance) {
                *distance = hit;
                found = &scene[i];
            }
        }
    }
    return found;
}

static struct vector trace(struct vector from, struct vector way, int depth) {
    struct vector black = {0, 0, 0};
    double distance;
    const struct sphere *sphere = nearest(from, way, &distance);
    if (sphere == NULL) {
        struct vector sky = {0.2, 0.3, 0.5 + 0.3 * way.y};
        return sky;
    }
    struct vector point = sum(from, way, distance);
    struct vector normal = unit(sum(point, sphere->centre, -1));
    struct vector to_light = unit(sum(light, point, -1));
    double shadow;
    double bright = nearest(point, to_light, &shadow) ? 0 : product(normal, to_light);
    struct vector colour = sum(black, sphere->colour, 0.1 + (bright > 0 ? bright : 0));
    if (depth < DEPTH) {
        struct vector mirror = sum(way, normal, -2 * product(way, normal));
        colour = sum(colour, trace(point, mirror, depth + 1), sphere->shine);
    }
    return colour;
}

static uint32_t byte(double value) {
    return value <= 0 ? 0 : value >= 1 ? 255 : (uint32_t)(255 * value);
}

static void work(int self) {
    for (long row = self; row < bench_size; row += bench_threads) {
        for (long at = 0; at < bench_size; at++) {
            struct vector eye = {0, 0, -30};
            struct vector way = {(at + 0.5) / bench_size - 0.5, 0.5 - (row + 0.5) / bench_size, 1};
            struct vector colour = trace(eye, unit(way), 0);
            picture[row * bench_size + at] = byte(colour.x) << 16 | byte(colour.y) << 8 | byte(colour.z);
        }
    }
}

int main(int argc, char **argv) {
    bench_options(argc, argv, 1600);
    scene = (struct sphere *)bench_memory(SPHERES, sizeof *scene);
    picture = (uint32_t *)bench_memory(bench_size * bench_size, sizeof *picture);
    for (int i = 0; i < SPHERES; i++) {
        uint64_t seed = i;
        struct vector centre = {6.0 * (i % 4) - 9, 6.0 * (i / 4 % 4) - 9, 6.0 * (i / 16)};
        struct vector colour = {bench_random_unit(&seed), bench_random_unit(&seed), bench_random_unit(&seed)};
        scene[i].centre = centre;
        scene[i].colour = colour;
        scene[i].radius = 2;
        scene[i].shine = 0.3;
    }
    bench_team(work);
    uint64_t checksum = 0;
    for (long i = 0; i < bench_size * bench_size; i++) {
        checksum = bench_mix(checksum, picture[i]);
    }
    bench_result("raytracer", checksum);
    return 0;
}
