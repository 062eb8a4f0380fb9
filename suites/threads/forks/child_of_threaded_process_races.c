// RACY. A process forks while its thread runs, and the child makes threads that race.
//@ needs: fork
#include "../support.h"
#include <sys/wait.h>
#include <unistd.h>

int data;

static void idle(void) {
    await(1);
}

static void one(void) {
    data = 1;
}

static void other(void) {
    data = 2;  //~ race: data-race (with line 14)
}

int main(void) {
    int status;
    pthread_t thread = spawn(idle);
    pid_t child = fork();
    if (child == 0) {
        run_both(one, other);
        exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
    reached(1);
    join(thread);
    return 0;
}
