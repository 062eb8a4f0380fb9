// CLEAN. What main writes before pthread_create and after pthread_join is ordered with the thread.
#include "../support.h"

int data;

static void worker(void) {
    CHECK(data == 1);
    data = 2;
}

int main(void) {
    data = 1;
    pthread_t thread = spawn(worker);
    join(thread);
    CHECK(data == 2);
    data = 3;
    return 0;
}
