// RACY. A timed wait that ended by time has seen nothing of the other thread.
#include "../support.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int data;

static void writer(void) {
    data = 1;
    reached(1);
}

static void impatient(void) {
    struct timespec past = {1, 0};
    await(1);
    pthread_mutex_lock(&lock);
    pthread_cond_timedwait(&changed, &lock, &past);
    pthread_mutex_unlock(&lock);
    use(data);  //~ race: data-race (with line 9)
}

int main(void) {
    run_both(writer, impatient);
    return 0;
}
