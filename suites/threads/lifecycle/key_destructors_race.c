// RACY. The destructors of two threads' data count in one variable.
#include "../support.h"

static pthread_key_t key;
int freed;

static void destroy(void *value) {
    freed += (value != NULL);  //~ race: data-race (with itself)
}

static void worker(void) {
    pthread_setspecific(key, &key);
}

int main(void) {
    pthread_key_create(&key, destroy);
    run_both(worker, worker);
    return 0;
}
