// CLEAN. Sixteen locks for 256 counters: every counter has one lock.
#include "../support.h"

static pthread_mutex_t locks[16];
int counters[256];

static void count(void) {
    for (int i = 0; i < 2560; i++) {
        int slot = i * 7 % 256;
        pthread_mutex_lock(&locks[slot % 16]);
        counters[slot]++;
        pthread_mutex_unlock(&locks[slot % 16]);
    }
}

int main(void) {
    for (int i = 0; i < 16; i++) {
        pthread_mutex_init(&locks[i], NULL);
    }
    run_both(count, count);
    CHECK(counters[0] == 20);
    return 0;
}
