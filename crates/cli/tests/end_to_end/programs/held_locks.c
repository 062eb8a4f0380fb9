// Two threads write to `shared`. The first one holds one lock all the time, has taken many others since, and gives them back in another
// order than it took them.
#include <pthread.h>

static pthread_mutex_t always = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t many[1000], last = PTHREAD_MUTEX_INITIALIZER;
static long data[1000];
long shared;
static int written;

static void *first(void *unused) {
    pthread_mutex_lock(&always);
    for (int i = 0; i < 200000; i++) {
        int one = i % 1000, next = (i * 7 + 1) % 1000;
        pthread_mutex_lock(&many[one]);
        data[one]++;
        if (next != one) {
            pthread_mutex_lock(&many[next]);
            data[next]++;
        }
        pthread_mutex_unlock(&many[one]);
        if (next != one) {
            data[next]++;
            pthread_mutex_unlock(&many[next]);
        }
    }
    pthread_mutex_lock(&many[3]);
    data[3]++;
    pthread_mutex_lock(&last);
    pthread_mutex_unlock(&many[3]);
    shared = 1;
    pthread_mutex_unlock(&last);
    __atomic_store_n(&written, 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&always);
    return unused;
}

static void *second(void *unused) {
    while (!__atomic_load_n(&written, __ATOMIC_RELAXED)) {
    }
    pthread_mutex_lock(&other);
    shared = 2;
    pthread_mutex_unlock(&other);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 1000; i++) {
        pthread_mutex_init(&many[i], NULL);
    }
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
