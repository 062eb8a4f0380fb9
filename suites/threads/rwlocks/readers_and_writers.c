// CLEAN. Readers share, writers exclude.
#include "../support.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int data;

static void reader(void) {
    for (int i = 0; i < 200; i++) {
        pthread_rwlock_rdlock(&lock);
        use(data);
        pthread_rwlock_unlock(&lock);
    }
}

static void writer(void) {
    for (int i = 0; i < 200; i++) {
        pthread_rwlock_wrlock(&lock);
        data++;
        pthread_rwlock_unlock(&lock);
    }
}

int main(void) {
    pthread_t more[2] = {spawn(reader), spawn(writer)};
    run_both(reader, writer);
    join(more[0]);
    join(more[1]);
    CHECK(data == 400);
    return 0;
}
