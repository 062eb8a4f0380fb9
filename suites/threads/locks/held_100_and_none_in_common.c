// RACY. Each thread holds a hundred locks, and none of them is held by both.
#include "../support.h"

enum { LOCKS = 100 };
static pthread_mutex_t locks[2 * LOCKS];
int data;

static void one(void) {
    for (int i = 0; i < LOCKS; i++) {
        pthread_mutex_lock(&locks[i]);
    }
    data = 1;
    for (int i = 0; i < LOCKS; i++) {
        pthread_mutex_unlock(&locks[i]);
    }
}

static void other(void) {
    for (int i = LOCKS; i < 2 * LOCKS; i++) {
        pthread_mutex_lock(&locks[i]);
    }
    data = 2;  //~ race: data-race (with line 12)
    for (int i = LOCKS; i < 2 * LOCKS; i++) {
        pthread_mutex_unlock(&locks[i]);
    }
}

int main(void) {
    for (int i = 0; i < 2 * LOCKS; i++) {
        pthread_mutex_init(&locks[i], NULL);
    }
    run_both(one, other);
    return 0;
}
