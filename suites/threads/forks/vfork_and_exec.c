// CLEAN. posix_spawn from a process with threads.
#include "../support.h"
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;
int data;

static void worker(void) {
    data = 1;
    await(1);
}

int main(void) {
    int status;
    pid_t child;
    char name[] = "true";
    char *arguments[] = {name, NULL};
    pthread_t thread = spawn(worker);
    CHECK(posix_spawnp(&child, "true", NULL, NULL, arguments, environ) == 0);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    reached(1);
    join(thread);
    CHECK(data == 1);
    return 0;
}
