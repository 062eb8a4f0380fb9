// Places the elements of a netlist on a grid by simulated annealing: random pairs swap places if that shortens their wires,
// or does not lengthen them by more than chance allows. Stands for canneal.
// In each step every element belongs to one thread, which alone reads and swaps its place; they are dealt anew for each
// step, and those of one thread are anywhere in memory. Wires are measured to where all elements stood at the beginning
// of the step, which all threads read at random and renew between two barriers.
// Where an element ends depends on how many threads there are, so the checksum is of what does not: each place is held once.

#include "support.h"

enum { GRID = 256, ELEMENTS = GRID * 128, WIRES = 5, STEPS = 8, MOVES = 6144, HOT = 160 };

static int *wires, *place, *known;

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

static void try_swap(int a, int b, int allowed) {
    int place_a = place[a], place_b = place[b];
    if (change(a, place_a, place_b) + change(b, place_b, place_a) <= allowed) {
        place[a] = place_b;
        place[b] = place_a;
    }
}

// The element that is dealt at a turn: an odd factor deals each of them once.
static int dealt(uint64_t turn, int step) {
    uint64_t factor = mix(step, 1) | 1;
    return (int)((turn * factor + mix(step, 2)) % ELEMENTS);
}

static void try_swaps(int self, int step) {
    struct range turns = range_of(self, ELEMENTS), mine = range_of(self, MOVES * scale);
    uint64_t seed = mix(self, step), count = turns.to - turns.from;
    int temperature = HOT >> step;
    for (long i = mine.from; i < mine.to; i++) {
        uint64_t random = next_random(&seed);
        int a = dealt(turns.from + random % count, step), b = dealt(turns.from + (random >> 20) % count, step);
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
    make_netlist();
    run_workers(work);
    print_result("annealing", checksum_of_places());
    return 0;
}
