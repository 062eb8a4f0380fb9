// CLEAN. Whoever comes back from pthread_once comes after the initialisation.
#include "../support.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
int data;

static void initialise(void) {
    data = 42;
}

static void user(void) {
    pthread_once(&once, initialise);
    CHECK(data == 42);
}

int main(void) {
    run_both(user, user);
    return 0;
}
