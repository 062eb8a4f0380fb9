// CLEAN. Parent and child count in a shared mapping under a mutex that processes share.
//@ needs: shared-mappings
#include "../support.h"
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared {
    pthread_mutex_t lock;
    int counter;
};

static void count(struct shared *shared) {
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&shared->lock);
        shared->counter++;
        pthread_mutex_unlock(&shared->lock);
    }
}

int main(void) {
    int status;
    struct shared *shared =
        (struct shared *)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(shared != MAP_FAILED);
    pthread_mutexattr_t between_processes;
    pthread_mutexattr_init(&between_processes);
    pthread_mutexattr_setpshared(&between_processes, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&shared->lock, &between_processes);
    pid_t child = fork();
    if (child == 0) {
        count(shared);
        _exit(0);
    }
    count(shared);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(shared->counter == 200);
    return 0;
}
