// RACY. Two once controls for one piece of data initialise it twice.
#include "../support.h"

static pthread_once_t once_a = PTHREAD_ONCE_INIT;
static pthread_once_t once_b = PTHREAD_ONCE_INIT;
int data;

static void initialise(void) {
    data = 42;  //~ race: data-race (with itself)
}

static void one(void) {
    pthread_once(&once_a, initialise);
}

static void other(void) {
    pthread_once(&once_b, initialise);
}

int main(void) {
    run_both(one, other);
    return 0;
}
