// RACY. A volatile flag: it races itself, and orders nothing.
#include "../support.h"

volatile int ready;
int data;

static void writer(void) {
    data = 42;
    ready = 1;
}

static void reader(void) {
    while (!ready) {  //~ race: data-race (with line 9)
        sched_yield();
    }
    use(data);  //~ race: data-race (with line 8)
}

int main(void) {
    run_both(writer, reader);
    return 0;
}
