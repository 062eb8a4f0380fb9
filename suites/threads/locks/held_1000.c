// CLEAN. A thread holds a thousand locks, in the manner of a table that is locked whole.
#include "../support.h"

enum { LOCKS = 1000 };
static pthread_mutex_t locks[LOCKS];
int values[LOCKS];

static void lock_all_and_add(void) {
    for (int i = 0; i < LOCKS; i++) {
        pthread_mutex_lock(&locks[i]);
    }
    for (int i = 0; i < LOCKS; i++) {
        values[i]++;
        pthread_mutex_unlock(&locks[i]);
    }
}

int main(void) {
    for (int i = 0; i < LOCKS; i++) {
        pthread_mutex_init(&locks[i], NULL);
    }
    run_both(lock_all_and_add, lock_all_and_add);
    CHECK(values[LOCKS - 1] == 2);
    return 0;
}
