// Moves the particles of a fluid, which push those that are near. Stands for fluidanimate.
// A thread has a range of the cells, and adds what pairs of particles do to each other in its cells and between them and
// half of the cells around. A cell that other threads reach, too, has a lock, which is taken for every single addition.
// Barriers are between the phases. All numbers are whole, so that sums do not depend on the order of additions.

#include "support.h"

enum { SIDE = 48, CELLS = SIDE * SIDE, CELL = 4096, BOX = SIDE * CELL, EACH = 2, PARTICLES = CELLS * EACH, STEPS = 2 };
enum { REACH = CELL * CELL, REST = 12000, GRAVITY = 8, MOST_SPEED = CELL / 4, AROUND = 4, NONE = -1 };

struct particle {
    int x, y, speed_x, speed_y, force_x, force_y, density;
    struct particle *next;  // In the same cell.
};

static struct particle *particles;
static struct particle **heads;  // The first particle of each cell.
static uint8_t *is_shared;       // Whether a cell is reached by several threads.
static pthread_mutex_t *locks;

// Of two cells side by side one is after the other in this list.
static const int after[AROUND][2] = {{1, 0}, {-1, 1}, {0, 1}, {1, 1}};

// The cell that is so far away, or NONE.
static int neighbour(int cell, int right, int down) {
    int x = cell % SIDE + right, y = cell / SIDE + down;
    return x < 0 || x >= SIDE || y < 0 || y >= SIDE ? NONE : y * SIDE + x;
}

static void lock_cell(int cell) {
    if (is_shared[cell]) {
        pthread_mutex_lock(&locks[cell]);
    }
}

static void unlock_cell(int cell) {
    if (is_shared[cell]) {
        pthread_mutex_unlock(&locks[cell]);
    }
}

static void empty_cells(int self) {
    struct range mine = range_of(self, CELLS);
    for (long i = mine.from; i < mine.to; i++) {
        heads[i] = NULL;
    }
}

// Particles go anywhere, so every cell needs its lock here.
static void fill_cells(int self) {
    struct range mine = range_of(self, PARTICLES);
    for (long i = mine.from; i < mine.to; i++) {
        struct particle *particle = &particles[i];
        int cell = particle->y / CELL * SIDE + particle->x / CELL;
        particle->density = particle->force_x = particle->force_y = 0;
        pthread_mutex_lock(&locks[cell]);
        particle->next = heads[cell];
        heads[cell] = particle;
        pthread_mutex_unlock(&locks[cell]);
    }
}

// From 4096 where two particles are at the same place to 0 where they do not reach each other.
static int nearness(const struct particle *a, const struct particle *b) {
    int64_t right = b->x - a->x, down = b->y - a->y;
    int64_t square = right * right + down * down;
    return square >= REACH ? 0 : (int)((REACH - square) / CELL);
}

static void add_density(struct particle *particle, int cell, int amount) {
    lock_cell(cell);
    particle->density += amount;
    unlock_cell(cell);
}

static void add_force(struct particle *particle, int cell, int x, int y) {
    lock_cell(cell);
    particle->force_x += x;
    particle->force_y += y;
    unlock_cell(cell);
}

static void densities_of_pair(struct particle *a, int cell_a, struct particle *b, int cell_b) {
    int near = nearness(a, b);
    if (near > 0) {
        add_density(a, cell_a, near);
        add_density(b, cell_b, near);
    }
}

// Quotients are rounded to zero, so that it does not matter which of the two comes first.
static void forces_of_pair(struct particle *a, int cell_a, struct particle *b, int cell_b) {
    int64_t near = nearness(a, b);
    if (near > 0) {
        int64_t pressure = (a->density + b->density - 2 * REST) * near / CELL;
        int x = (int)((a->x - b->x) * pressure / (64 * CELL) + (b->speed_x - a->speed_x) * near / (8 * CELL));
        int y = (int)((a->y - b->y) * pressure / (64 * CELL) + (b->speed_y - a->speed_y) * near / (8 * CELL));
        add_force(a, cell_a, x, y);
        add_force(b, cell_b, -x, -y);
    }
}

typedef void (*pair_work)(struct particle *a, int cell_a, struct particle *b, int cell_b);

static void visit_pairs_between(int cell, int other, pair_work visit) {
    for (struct particle *a = heads[cell]; a != NULL; a = a->next) {
        struct particle *b = cell == other ? a->next : heads[other];
        for (; b != NULL; b = b->next) {
            visit(a, cell, b, other);
        }
    }
}

static void visit_pairs(int self, pair_work visit) {
    struct range mine = range_of(self, CELLS);
    for (int cell = (int)mine.from; cell < mine.to; cell++) {
        visit_pairs_between(cell, cell, visit);
        for (int i = 0; i < AROUND; i++) {
            int other = neighbour(cell, after[i][0], after[i][1]);
            if (other != NONE) {
                visit_pairs_between(cell, other, visit);
            }
        }
    }
}

// Moves along one axis, and bounces off the walls.
static void move_along(int *at, int *speed, int force) {
    *speed += force;
    *speed = *speed > MOST_SPEED ? MOST_SPEED : *speed < -MOST_SPEED ? -MOST_SPEED : *speed;
    *at += *speed;
    if (*at < 0 || *at >= BOX) {
        *at = *at < 0 ? 0 : BOX - 1;
        *speed = -*speed / 2;
    }
}

static void move_particles(int self) {
    struct range mine = range_of(self, CELLS);
    for (long cell = mine.from; cell < mine.to; cell++) {
        for (struct particle *particle = heads[cell]; particle != NULL; particle = particle->next) {
            move_along(&particle->x, &particle->speed_x, particle->force_x);
            move_along(&particle->y, &particle->speed_y, particle->force_y + GRAVITY);
        }
    }
}

static void work(int self) {
    for (long step = 0; step < STEPS * scale; step++) {
        empty_cells(self);
        meet();
        fill_cells(self);
        meet();
        visit_pairs(self, densities_of_pair);
        meet();
        visit_pairs(self, forces_of_pair);
        meet();
        move_particles(self);
        meet();
    }
}

static int is_of(int self, int cell) {
    struct range range = range_of(self, CELLS);
    return cell >= range.from && cell < range.to;
}

static void find_shared_cells(int self) {
    struct range mine = range_of(self, CELLS);
    for (int cell = (int)mine.from; cell < mine.to; cell++) {
        for (int i = 0; i < 9; i++) {
            int other = neighbour(cell, i % 3 - 1, i / 3 - 1);
            is_shared[cell] |= other != NONE && !is_of(self, other);
        }
    }
}

// Every cell has the same number of particles at first, anywhere in it.
static void make_particles(void) {
    uint64_t seed = 7;
    for (int i = 0; i < PARTICLES; i++) {
        int cell = i / EACH;
        particles[i].x = cell % SIDE * CELL + (int)(next_random(&seed) % CELL);
        particles[i].y = cell / SIDE * CELL + (int)(next_random(&seed) % CELL);
    }
}

int main(int argc, char **argv) {
    read_options(argc, argv);
    particles = new_memory(PARTICLES, sizeof *particles);
    heads = new_memory(CELLS, sizeof *heads);
    is_shared = new_memory(CELLS, sizeof *is_shared);
    locks = new_locks(CELLS);
    make_particles();
    for (int i = 0; i < thread_count; i++) {
        find_shared_cells(i);
    }
    run_workers(work);
    uint64_t checksum = 0;
    for (int i = 0; i < PARTICLES; i++) {
        checksum = mix(checksum, (uint64_t)particles[i].x << 32 | (uint64_t)particles[i].y);
        checksum = mix(checksum, (uint64_t)(particles[i].speed_x * (int64_t)BOX + particles[i].speed_y));
    }
    print_result("fluid_grid", checksum);
    return 0;
}
