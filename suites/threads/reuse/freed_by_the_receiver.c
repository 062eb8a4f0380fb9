// CLEAN. Each message is allocated by the sender and freed by the receiver.
#include "../support.h"
#include <stdatomic.h>

static _Atomic(int *) box;

static void sender(void) {
    for (int i = 0; i < 200; i++) {
        int *message = (int *)malloc(sizeof *message);
        *message = i;
        while (atomic_load_explicit(&box, memory_order_relaxed) != NULL) {
            sched_yield();
        }
        atomic_store_explicit(&box, message, memory_order_release);
    }
}

static void receiver(void) {
    for (int i = 0; i < 200; i++) {
        int *message;
        while ((message = atomic_exchange_explicit(&box, NULL, memory_order_acquire)) == NULL) {
            sched_yield();
        }
        CHECK(*message == i);
        free(message);
    }
}

int main(void) {
    run_both(sender, receiver);
    return 0;
}
