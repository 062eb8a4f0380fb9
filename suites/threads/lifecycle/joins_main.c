// CLEAN. A thread joins the main thread, which ended by pthread_exit.
#include "../support.h"

int data;
pthread_t first;

static void worker(void) {
    CHECK(pthread_join(first, NULL) == 0);
    CHECK(data == 1);
    exit(0);
}

int main(void) {
    first = pthread_self();
    spawn(worker);
    data = 1;
    pthread_exit(NULL);
}
