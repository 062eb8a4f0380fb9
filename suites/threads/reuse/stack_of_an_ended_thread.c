// CLEAN. Detached threads one after another get the same stack; nothing but that orders them.
#include "../support.h"

static void worker(void) {
    volatile int cells[256];
    for (int i = 0; i < 256; i++) {
        cells[i] = i;
    }
    use(cells[255]);
    __atomic_fetch_add(&stage_of_program, 1, __ATOMIC_RELAXED);
}

int main(void) {
    for (int i = 1; i <= 200; i++) {
        pthread_detach(spawn(worker));
        await(i);
    }
    return 0;
}
