// RACY. A structure is copied whole while another thread writes one of its members.
#include "../support.h"

struct record {
    long cells[12];
};

struct record source;
struct record target;

static void copier(void) {
    target = source;
}

static void writer(void) {
    source.cells[9] = 1;  //~ race: data-race (with line 12)
}

int main(void) {
    run_both(copier, writer);
    use(target.cells[9]);
    return 0;
}
