// RACY. Two functions compute the stripe of a slot in two ways.
#include "../support.h"

static pthread_mutex_t locks[16];
int slots[256];

static void put(void) {
    int slot = 100;
    pthread_mutex_lock(&locks[slot % 16]);
    slots[slot] = 1;
    pthread_mutex_unlock(&locks[slot % 16]);
}

static void take(void) {
    int slot = 100;
    pthread_mutex_lock(&locks[slot / 16]);
    slots[slot] = 0;  //~ race: data-race (with line 10)
    pthread_mutex_unlock(&locks[slot / 16]);
}

int main(void) {
    for (int i = 0; i < 16; i++) {
        pthread_mutex_init(&locks[i], NULL);
    }
    run_both(put, take);
    return 0;
}
