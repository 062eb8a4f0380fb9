// Places the elements of a netlist on a grid by simulated annealing: random pairs swap places if that shortens their wires,
// or does not lengthen them by more than chance allows. Stands for canneal.
// Places are read and swapped under locks, one for a stripe of elements. The wires of a step are measured to where all
// elements stood at its beginning, which all threads read at random and renew between two barriers.
// Where an element ends depends on the schedule, so the checksum is of what does not: each place is held once.

#include "support.h"

enum { GRID = 256, ELEMENTS = GRID * 128, WIRES = 5, STRIPES = 1024, STEPS = 8, MOVES = 6144, HOT = 160 };

static int *wires, *place, *known;
static pthread_mutex_t *locks;

static int distance(int a, int b) {
    return abs(a % GRID - b % GRID) + abs(a / GRID - b / GRID);
}

// How much longer the wires of an element are when it goes from one place to another.
static int change(int element, int from, int to) {
    const int *ends = &wires[element * WIRES], *places = known;
    int sum = 0;
    for (int i = 0; i < WIRES; i++) {
        int other = places[ends[i]];
        sum += distance(to, other) - distance(from, other);
    }
    return sum;
}

// Takes the lower stripe first, so that no two threads wait for each other.
static void lock_stripes(int low, int high) {
    pthread_mutex_lock(&locks[low]);
    if (low != high) {
        pthread_mutex_lock(&locks[high]);
    }
}

static void unlock_stripes(int low, int high) {
    if (low != high) {
        pthread_mutex_unlock(&locks[high]);
    }
    pthread_mutex_unlock(&locks[low]);
}

static void try_swap(int a, int b, int allowed) {
    int one = a % STRIPES, other = b % STRIPES;
    int low = one < other ? one : other, high = one < other ? other : one;
    lock_stripes(low, high);
    int place_a = place[a], place_b = place[b];
    if (change(a, place_a, place_b) + change(b, place_b, place_a) <= allowed) {
        place[a] = place_b;
        place[b] = place_a;
    }
    unlock_stripes(low, high);
}

static void try_swaps(int self, int step) {
    struct range mine = range_of(self, MOVES * scale);
    uint64_t seed = mix(self, step);
    int temperature = HOT >> step;
    for (long i = mine.from; i < mine.to; i++) {
        uint64_t random = next_random(&seed);
        int a = (int)(random % ELEMENTS), b = (int)((random >> 20) % ELEMENTS);
        try_swap(a, b, (int)((random >> 40) % (temperature + 1)));
    }
}

static void renew_known(int self) {
    struct range mine = range_of(self, ELEMENTS);
    const int *from = place;
    int *to = known;
    for (long i = mine.from; i < mine.to; i++) {
        to[i] = from[i];
    }
}

static void work(int self) {
    for (int step = 0; step < STEPS; step++) {
        renew_known(self);
        meet();
        try_swaps(self, step);
        meet();
    }
}

// Wires lead to elements with near numbers, which stand in any order at first.
static void make_netlist(void) {
    uint64_t seed = 3;
    for (int i = 0; i < ELEMENTS; i++) {
        for (int wire = 0; wire < WIRES; wire++) {
            int away = (int)(next_random(&seed) % 512) - 256;
            wires[i * WIRES + wire] = (i + away + ELEMENTS) % ELEMENTS;
        }
        place[i] = (int)((i * 20011L + 7) % ELEMENTS);
    }
}

static uint64_t checksum_of_places(void) {
    uint64_t checksum = 0;
    for (int i = 0; i < ELEMENTS; i++) {
        checksum += mix(place[i], 0);
    }
    return checksum;
}

int main(int argc, char **argv) {
    read_options(argc, argv);
    wires = new_memory(ELEMENTS * WIRES, sizeof *wires);
    place = new_memory(ELEMENTS, sizeof *place);
    known = new_memory(ELEMENTS, sizeof *known);
    locks = new_locks(STRIPES);
    make_netlist();
    run_workers(work);
    print_result("annealing", checksum_of_places());
    return 0;
}
