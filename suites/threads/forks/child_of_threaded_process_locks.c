// CLEAN. A process forks while its thread runs, and the child makes threads that count under a lock.
//@ needs: fork
#include "../support.h"
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int counter;

static void idle(void) {
    await(1);
}

static void count(void) {
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
}

int main(void) {
    int status;
    pthread_t thread = spawn(idle);
    pid_t child = fork();
    if (child == 0) {
        run_both(count, count);
        exit(counter == 2 ? 0 : 1);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    reached(1);
    join(thread);
    return 0;
}
