// CLEAN. A thread works on its data while main forks; the child, which has a copy, works on the same variable.
#include "../support.h"
#include <sys/wait.h>
#include <unistd.h>

int data;

static void worker(void) {
    for (int i = 0; i < 1000; i++) {
        data++;
    }
    reached(1);
    await(2);
    data++;
}

int main(void) {
    int status;
    pthread_t thread = spawn(worker);
    await(1);
    pid_t child = fork();
    if (child == 0) {
        data = -1;
        _exit(data == -1 ? 0 : 1);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    reached(2);
    join(thread);
    CHECK(data == 1001);
    return 0;
}
