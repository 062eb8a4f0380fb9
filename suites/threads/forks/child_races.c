// RACY. The child of a process without threads makes two threads, which race.
//@ needs: fork
#include "../support.h"
#include <sys/wait.h>
#include <unistd.h>

int data;

static void one(void) {
    data = 1;
}

static void other(void) {
    data = 2;  //~ race: data-race (with line 10)
}

int main(void) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        run_both(one, other);
        exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
    return 0;
}
