// CLEAN. pthread_atfork holds the lock over the fork: both processes go on with data that is whole.
#include "../support.h"
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int pair[2];

static void take(void) {
    pthread_mutex_lock(&lock);
}

static void give(void) {
    pthread_mutex_unlock(&lock);
}

static void worker(void) {
    for (int i = 1; i <= 1000; i++) {
        pthread_mutex_lock(&lock);
        pair[0] = i;
        pair[1] = i;
        pthread_mutex_unlock(&lock);
        reached(1);
    }
}

int main(void) {
    int status;
    CHECK(pthread_atfork(take, give, give) == 0);
    pthread_t thread = spawn(worker);
    await(1);
    pid_t child = fork();
    if (child == 0) {
        pthread_mutex_lock(&lock);
        int whole = pair[0] == pair[1];
        pthread_mutex_unlock(&lock);
        _exit(whole ? 0 : 1);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    join(thread);
    return 0;
}
