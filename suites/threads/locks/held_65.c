// CLEAN. A thread holds 65 locks while it counts.
#include "../support.h"

enum { LOCKS = 65 };
static pthread_mutex_t locks[LOCKS];
int counter;

static void count(void) {
    for (int i = 0; i < LOCKS; i++) {
        pthread_mutex_lock(&locks[i]);
    }
    counter++;
    for (int i = LOCKS - 1; i >= 0; i--) {
        pthread_mutex_unlock(&locks[i]);
    }
}

int main(void) {
    for (int i = 0; i < LOCKS; i++) {
        pthread_mutex_init(&locks[i], NULL);
    }
    run_both(count, count);
    CHECK(counter == 2);
    return 0;
}
