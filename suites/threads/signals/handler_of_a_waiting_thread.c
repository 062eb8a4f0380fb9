// CLEAN. A signal interrupts a thread that waits for a semaphore; the handler has data of its thread alone.
#include "../support.h"
#include <semaphore.h>
#include <signal.h>

static sem_t full;
static __thread volatile sig_atomic_t mine;
int data;

static void handler(int number) {
    mine = number;
}

static void waiter(void) {
    reached(1);
    while (sem_wait(&full) != 0) {
        CHECK(errno == EINTR);
    }
    CHECK(data == 42);
    use(mine);
}

int main(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigaction(SIGUSR1, &action, NULL);
    sem_init(&full, 0, 0);
    pthread_t thread = spawn(waiter);
    await(1);
    pthread_kill(thread, SIGUSR1);
    data = 42;
    sem_post(&full);
    join(thread);
    return 0;
}
