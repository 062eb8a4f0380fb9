// RACY. A tryjoin that says EBUSY has joined nothing.
#include "../support.h"

int data;

static void worker(void) {
    data = 1;
    reached(1);
    await(2);
}

int main(void) {
    pthread_t thread = spawn(worker);
    await(1);
    CHECK(pthread_tryjoin_np(thread, NULL) == EBUSY);
    data = 2;  //~ race: data-race (with line 7)
    reached(2);
    join(thread);
    return 0;
}
