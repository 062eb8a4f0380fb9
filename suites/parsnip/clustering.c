// Finds centres for points, by trying candidates and closing centres that are no longer worth their cost. Stands for
// streamcluster.
// A thread has a range of the points, reads the coordinates of the candidate that all read, and has sums of its own
// for each centre. Behind a barrier the first thread adds up the sums of all and decides; behind another one all follow.

#include "support.h"

enum { POINTS = 2048, DIMENSIONS = 32, CANDIDATES = 12, CLOUDS = 10, MOST_CENTRES = 64, NONE = -1 };

static const int64_t cost_of_centre = 200000000;

struct assignment {
    int64_t cost, cost_at_candidate;
    int centre;  // A slot.
};

static long point_count;
static float *coordinates;
static struct assignment *assignments;

static long centres[MOST_CENTRES];  // Points, or NONE.
static int is_closed[MOST_CENTRES];
static int64_t *losses;   // If a centre closes: for each thread, for each slot.
static int64_t *savings;  // If the candidate opens: for each thread.
static int new_slot;

// Whole numbers, so that sums do not depend on the ranges.
static int64_t distance(long a, long b) {
    float sum = 0;
    for (int i = 0; i < DIMENSIONS; i++) {
        float difference = coordinates[a * DIMENSIONS + i] - coordinates[b * DIMENSIONS + i];
        sum += difference * difference;
    }
    return (int64_t)(sum * 65536);
}

static void assign_all_to_first(int self) {
    struct range mine = range_of(self, point_count);
    for (long i = mine.from; i < mine.to; i++) {
        assignments[i].cost = distance(i, centres[0]);
    }
}

static void measure(int self, long candidate) {
    struct range mine = range_of(self, point_count);
    int64_t *loss = &losses[self * MOST_CENTRES];
    memset(loss, 0, MOST_CENTRES * sizeof *loss);
    savings[self] = 0;
    for (long i = mine.from; i < mine.to; i++) {
        struct assignment *point = &assignments[i];
        point->cost_at_candidate = distance(i, candidate);
        int64_t difference = point->cost_at_candidate - point->cost;
        if (difference < 0) {
            savings[self] -= difference;
        } else {
            loss[point->centre] += difference;
        }
    }
}

// What is saved by sending the other points of a centre to the candidate, too.
static int64_t saved_by_closing(int slot) {
    int64_t saved = cost_of_centre;
    for (int i = 0; i < thread_count; i++) {
        saved -= losses[i * MOST_CENTRES + slot];
    }
    return saved;
}

static int free_slot(void) {
    int slot = 0;
    while (slot < MOST_CENTRES && centres[slot] != NONE) {
        slot++;
    }
    return slot < MOST_CENTRES ? slot : NONE;
}

static void close_centres(void) {
    for (int slot = 0; slot < MOST_CENTRES; slot++) {
        if (is_closed[slot]) {
            centres[slot] = NONE;
        }
    }
}

// Sets `new_slot` to that of the candidate if it opens, and `is_closed` for the centres that it replaces.
static void decide(long candidate) {
    int64_t saved = -cost_of_centre;
    for (int i = 0; i < thread_count; i++) {
        saved += savings[i];
    }
    for (int slot = 0; slot < MOST_CENTRES; slot++) {
        int64_t by_closing = centres[slot] == NONE ? 0 : saved_by_closing(slot);
        is_closed[slot] = by_closing > 0;
        saved += is_closed[slot] ? by_closing : 0;
    }
    new_slot = saved > 0 ? free_slot() : NONE;
    if (new_slot != NONE) {
        close_centres();
        centres[new_slot] = candidate;
    }
}

static void follow(int self) {
    struct range mine = range_of(self, point_count);
    for (long i = mine.from; i < mine.to; i++) {
        struct assignment *point = &assignments[i];
        if (point->cost_at_candidate < point->cost || is_closed[point->centre]) {
            point->cost = point->cost_at_candidate;
            point->centre = new_slot;
        }
    }
}

static void work(int self) {
    uint64_t seed = 9;
    assign_all_to_first(self);
    for (int i = 0; i < CANDIDATES; i++) {
        long candidate = (long)(next_random(&seed) % point_count);
        measure(self, candidate);
        meet();
        if (self == 0) {
            decide(candidate);
        }
        meet();
        if (new_slot != NONE) {
            follow(self);
        }
    }
}

// Points are in clouds, in any order.
static void make_points(void) {
    uint64_t seed = 10;
    for (long i = 0; i < point_count; i++) {
        uint64_t cloud = next_random(&seed) % CLOUDS;
        for (int at = 0; at < DIMENSIONS; at++) {
            coordinates[i * DIMENSIONS + at] = 4 * random_unit(&cloud) + random_unit(&seed);
        }
    }
}

int main(int argc, char **argv) {
    read_options(argc, argv);
    point_count = POINTS * scale;
    coordinates = new_memory(point_count * DIMENSIONS, sizeof *coordinates);
    assignments = new_memory(point_count, sizeof *assignments);
    losses = new_memory(thread_count * MOST_CENTRES, sizeof *losses);
    savings = new_memory(thread_count, sizeof *savings);
    for (int slot = 1; slot < MOST_CENTRES; slot++) {
        centres[slot] = NONE;
    }
    make_points();
    run_workers(work);
    uint64_t checksum = 0;
    for (long i = 0; i < point_count; i++) {
        checksum = mix(mix(checksum, centres[assignments[i].centre]), assignments[i].cost);
    }
    print_result("clustering", checksum);
    return 0;
}
