// RACY. Main knows by a relaxed counter that the detached thread is done, which orders nothing.
#include "../support.h"

int data;

static void worker(void) {
    data = 1;
    reached(1);
}

int main(void) {
    pthread_detach(spawn(worker));
    await(1);
    use(data);  //~ race: data-race (with line 7)
    return 0;
}
