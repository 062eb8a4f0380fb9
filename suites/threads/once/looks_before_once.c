// RACY. The second thread looks at the data without going through pthread_once.
#include "../support.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
int data;

static void initialise(void) {
    data = 42;
}

static void user(void) {
    pthread_once(&once, initialise);
}

static void shortcut(void) {
    use(data);  //~ race: data-race (with line 8)
}

int main(void) {
    run_both(user, shortcut);
    return 0;
}
