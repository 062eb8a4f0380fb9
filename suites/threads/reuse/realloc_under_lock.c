// CLEAN. A vector grows by realloc under its lock.
#include "../support.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *cells;
static int used;

static void appender(void) {
    for (int i = 0; i < 500; i++) {
        pthread_mutex_lock(&lock);
        cells = (int *)realloc(cells, (used + 1) * sizeof *cells);
        cells[used++] = i;
        pthread_mutex_unlock(&lock);
    }
}

int main(void) {
    run_both(appender, appender);
    CHECK(used == 1000);
    free(cells);
    return 0;
}
