// CLEAN. The destructor of thread-specific data runs in the thread, before the join.
#include "../support.h"

static pthread_key_t key;
int freed;

static void destroy(void *value) {
    freed += *(int *)value;
    free(value);
}

static void worker(void) {
    int *mine = (int *)malloc(sizeof *mine);
    *mine = 7;
    pthread_setspecific(key, mine);
}

int main(void) {
    pthread_key_create(&key, destroy);
    join(spawn(worker));
    CHECK(freed == 7);
    join(spawn(worker));
    CHECK(freed == 14);
    return 0;
}
