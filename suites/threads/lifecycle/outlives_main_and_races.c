// RACY. Main's last access before pthread_exit races with the thread that goes on.
#include "../support.h"

int data;

static void worker(void) {
    await(1);
    data = 2;
    exit(0);
}

int main(void) {
    spawn(worker);
    data = 1;  //~ race: data-race (with line 8)
    reached(1);
    pthread_exit(NULL);
}
