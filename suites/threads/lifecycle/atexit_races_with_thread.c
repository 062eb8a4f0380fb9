// RACY. A handler of atexit writes what a thread that is still there has read.
#include "../support.h"

int data;

static void worker(void) {
    use(data);
    reached(1);
    await(2);
}

static void at_exit(void) {
    data = 1;  //~ race: data-race (with line 7)
}

int main(void) {
    atexit(at_exit);
    spawn(worker);
    await(1);
    return 0;
}
