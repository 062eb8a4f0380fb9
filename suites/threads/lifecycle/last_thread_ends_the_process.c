// CLEAN. Main has ended by pthread_exit, and the process ends when its last thread returns.
#include "../support.h"

int data;

static void worker(void) {
    data = 1;
}

int main(void) {
    spawn(worker);
    pthread_exit(NULL);
}
