// RACY. Double-checked locking with a plain pointer.
#include "../support.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int *instance;
int cell;

static int *get(void) {
    if (instance == NULL) {  //~ race: data-race (with line 13)
        pthread_mutex_lock(&lock);
        if (instance == NULL) {
            cell = 42;
            instance = &cell;
        }
        pthread_mutex_unlock(&lock);
    }
    return &cell;
}

static void first(void) {
    get();
    reached(1);
}

static void second(void) {
    await(1);
    int *seen = get();
    use(*seen);  //~ race: data-race (with line 12)
}

int main(void) {
    run_both(first, second);
    return 0;
}
