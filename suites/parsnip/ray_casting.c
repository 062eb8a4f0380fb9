// Draws a lattice of spheres with shadows, by rays through a tree of boxes. Stands for raytrace.
// All threads read the spheres and the tree, which nobody writes any more. Tiles of the picture are handed out by a counter
// with a lock, and each thread writes the bytes of the pixels of its tiles.

#include "support.h"
#include <math.h>

enum { LATTICE_BITS = 4, LATTICE = 1 << LATTICE_BITS, SPHERES = LATTICE * LATTICE * LATTICE };
enum { LEAF_SPHERES = 2, LEAVES = SPHERES / LEAF_SPHERES, STACK = 32 };
enum { WIDTH = 64, HEIGHT = 64, TILE = 8, TILES_ACROSS = WIDTH / TILE, COLOURS = 3 };

struct vector {
    float x, y, z;
};

struct sphere {
    struct vector centre;
    float radius;
    float colour[COLOURS];
};

struct box {
    struct vector low, high;
};

struct ray {
    struct vector from, way, inverse;
};

static struct sphere *spheres;
static struct box *boxes;  // The children of box n are 2n and 2n + 1, and the leaves are the last ones.
static uint8_t *picture;
static const struct vector light = {-20, 60, -40};

static struct {
    pthread_mutex_t lock;
    long next;
} tiles = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct vector sum(struct vector a, struct vector b, float factor) {
    struct vector result = {a.x + factor * b.x, a.y + factor * b.y, a.z + factor * b.z};
    return result;
}

static float product(struct vector a, struct vector b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static struct vector unit(struct vector a) {
    float length = sqrtf(product(a, a));
    struct vector result = {a.x / length, a.y / length, a.z / length};
    return result;
}

static struct ray new_ray(struct vector from, struct vector to) {
    struct vector way = unit(sum(to, from, -1));
    struct ray ray = {from, way, {1 / way.x, 1 / way.y, 1 / way.z}};
    return ray;
}

// Narrows the part of a ray that is in a box to what is between two planes.
static void narrow(float *enter, float *leave, float one, float other) {
    float near = one < other ? one : other, far = one < other ? other : one;
    *enter = near > *enter ? near : *enter;
    *leave = far < *leave ? far : *leave;
}

static int meets_box(struct ray ray, const struct box *box, float limit) {
    float enter = 0, leave = limit;
    narrow(&enter, &leave, (box->low.x - ray.from.x) * ray.inverse.x, (box->high.x - ray.from.x) * ray.inverse.x);
    narrow(&enter, &leave, (box->low.y - ray.from.y) * ray.inverse.y, (box->high.y - ray.from.y) * ray.inverse.y);
    narrow(&enter, &leave, (box->low.z - ray.from.z) * ray.inverse.z, (box->high.z - ray.from.z) * ray.inverse.z);
    return enter <= leave;
}

// How far it is to a sphere, or `limit` if the ray does not meet it before.
static float distance_to(struct ray ray, const struct sphere *sphere, float limit) {
    struct vector to = sum(sphere->centre, ray.from, -1);
    float along = product(to, ray.way);
    float square = sphere->radius * sphere->radius - product(to, to) + along * along;
    if (square <= 0) {
        return limit;
    }
    float distance = along - sqrtf(square);
    return distance > 1e-3f && distance < limit ? distance : limit;
}

static const struct sphere *nearest_of_leaf(struct ray ray, int leaf, float *distance) {
    const struct sphere *found = NULL;
    for (int i = 0; i < LEAF_SPHERES; i++) {
        const struct sphere *sphere = &spheres[leaf * LEAF_SPHERES + i];
        float nearer = distance_to(ray, sphere, *distance);
        if (nearer < *distance) {
            *distance = nearer;
            found = sphere;
        }
    }
    return found;
}

static const struct sphere *nearest(struct ray ray, float *distance) {
    const struct sphere *found = NULL;
    int stack[STACK] = {1}, waiting = 1;
    while (waiting > 0) {
        int node = stack[--waiting];
        if (!meets_box(ray, &boxes[node], *distance)) {
            continue;
        }
        if (node >= LEAVES) {
            const struct sphere *nearer = nearest_of_leaf(ray, node - LEAVES, distance);
            found = nearer == NULL ? found : nearer;
        } else {
            stack[waiting++] = 2 * node + 1;
            stack[waiting++] = 2 * node;
        }
    }
    return found;
}

static float brightness(struct vector point, const struct sphere *sphere) {
    struct vector normal = unit(sum(point, sphere->centre, -1));
    struct ray to_light = new_ray(point, light);
    float distance = 1e6f, straight = product(normal, to_light.way);
    int is_lit = straight > 0 && nearest(to_light, &distance) == NULL;
    return is_lit ? 0.2f + 0.8f * straight : 0.2f;
}

static void draw_pixel(long x, long y) {
    struct vector eye = {LATTICE / 2.0f, LATTICE / 2.0f, -LATTICE};
    struct vector through = {LATTICE * (x + 0.5f) / WIDTH, LATTICE * (y + 0.5f) / (HEIGHT * scale), 0};
    struct ray ray = new_ray(eye, through);
    float distance = 1e6f;
    const struct sphere *sphere = nearest(ray, &distance);
    float bright = sphere == NULL ? 0 : brightness(sum(ray.from, ray.way, distance), sphere);
    for (int i = 0; i < COLOURS; i++) {
        picture[(y * WIDTH + x) * COLOURS + i] = (uint8_t)(sphere == NULL ? 30 : 255 * bright * sphere->colour[i]);
    }
}

static void draw_tile(long tile) {
    long left = tile % TILES_ACROSS * TILE, top = tile / TILES_ACROSS * TILE;
    for (long y = top; y < top + TILE; y++) {
        for (long x = left; x < left + TILE; x++) {
            draw_pixel(x, y);
        }
    }
}

static long take_tile(void) {
    let_others_run();
    pthread_mutex_lock(&tiles.lock);
    long tile = tiles.next++;
    pthread_mutex_unlock(&tiles.lock);
    return tile;
}

static void work(int self) {
    (void)self;
    long count = TILES_ACROSS * (HEIGHT / TILE) * scale;
    for (long tile = take_tile(); tile < count; tile = take_tile()) {
        draw_tile(tile);
    }
}

// Every third bit of a number, from `first`.
static int third_bits(int number, int first) {
    int result = 0;
    for (int bit = 0; bit < LATTICE_BITS; bit++) {
        result |= (number >> (3 * bit + first) & 1) << bit;
    }
    return result;
}

// Spheres with near numbers are near each other, so that a tree over their numbers is a good one.
static void make_spheres(void) {
    uint64_t seed = 8;
    for (int i = 0; i < SPHERES; i++) {
        spheres[i].centre.x = third_bits(i, 0) + 0.2f + 0.6f * random_unit(&seed);
        spheres[i].centre.y = third_bits(i, 1) + 0.2f + 0.6f * random_unit(&seed);
        spheres[i].centre.z = third_bits(i, 2) + 0.2f + 0.6f * random_unit(&seed);
        spheres[i].radius = 0.1f + 0.1f * random_unit(&seed);
        for (int colour = 0; colour < COLOURS; colour++) {
            spheres[i].colour[colour] = random_unit(&seed);
        }
    }
}

static struct box box_of_sphere(const struct sphere *sphere) {
    struct vector corner = {sphere->radius, sphere->radius, sphere->radius};
    struct box box = {sum(sphere->centre, corner, -1), sum(sphere->centre, corner, 1)};
    return box;
}

static struct box box_of_both(struct box a, struct box b) {
    struct box box = {{fminf(a.low.x, b.low.x), fminf(a.low.y, b.low.y), fminf(a.low.z, b.low.z)},
                      {fmaxf(a.high.x, b.high.x), fmaxf(a.high.y, b.high.y), fmaxf(a.high.z, b.high.z)}};
    return box;
}

static void make_tree(void) {
    for (int leaf = 0; leaf < LEAVES; leaf++) {
        const struct sphere *first = &spheres[leaf * LEAF_SPHERES];
        boxes[LEAVES + leaf] = box_of_both(box_of_sphere(&first[0]), box_of_sphere(&first[1]));
    }
    for (int node = LEAVES - 1; node > 0; node--) {
        boxes[node] = box_of_both(boxes[2 * node], boxes[2 * node + 1]);
    }
}

int main(int argc, char **argv) {
    read_options(argc, argv);
    long bytes = WIDTH * HEIGHT * COLOURS * scale;
    spheres = new_memory(SPHERES, sizeof *spheres);
    boxes = new_memory(2 * LEAVES, sizeof *boxes);
    picture = new_memory(bytes, 1);
    make_spheres();
    make_tree();
    run_workers(work);
    print_result("ray_casting", mix_bytes(0, picture, bytes));
    return 0;
}
