// CLEAN. tss_t with a destructor that runs before the join.
//@ needs: c11-threads
#include "../support.h"
#include <threads.h>

static tss_t key;
int freed;

static void destroy(void *value) {
    freed += *(int *)value;
    free(value);
}

static int worker(void *unused) {
    (void)unused;
    int *mine = (int *)malloc(sizeof *mine);
    *mine = 7;
    tss_set(key, mine);
    CHECK(tss_get(key) == mine);
    return 0;
}

int main(void) {
    thrd_t thread;
    tss_create(&key, destroy);
    CHECK(thrd_create(&thread, worker, NULL) == thrd_success);
    thrd_join(thread, NULL);
    CHECK(freed == 7);
    return 0;
}
