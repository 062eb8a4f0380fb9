// CLEAN. Two threads copy structures that lie side by side.
#include "../support.h"

struct record {
    long cells[5];
};

struct record sources[2];
struct record targets[2];

static void one(void) {
    targets[0] = sources[0];
}

static void other(void) {
    targets[1] = sources[1];
    sources[1].cells[0] = 1;
}

int main(void) {
    run_both(one, other);
    return 0;
}
