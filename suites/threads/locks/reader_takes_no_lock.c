// RACY. The writer holds the lock, the reader does not ask for it.
#include "../support.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int data;

static void writer(void) {
    pthread_mutex_lock(&lock);
    data = 1;
    pthread_mutex_unlock(&lock);
}

static void reader(void) {
    use(data);  //~ race: data-race (with line 9)
}

int main(void) {
    run_both(writer, reader);
    return 0;
}
