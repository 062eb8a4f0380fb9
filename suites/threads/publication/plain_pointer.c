// RACY. A pointer is published by a plain store and polled by plain loads.
#include "../support.h"

int *volatile published;
int cell;

static void writer(void) {
    cell = 42;
    published = &cell;
}

static void reader(void) {
    while (published == NULL) {  //~ race: data-race (with line 9)
        sched_yield();
    }
    use(cell);  //~ race: data-race (with line 8)
}

int main(void) {
    run_both(writer, reader);
    return 0;
}
