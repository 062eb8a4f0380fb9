// RACY. Main cancels a thread and reads its data before the join.
#include "../support.h"
#include <unistd.h>

int data;

static void worker(void) {
    data = 1;
    reached(1);
    while (1) {
        pthread_testcancel();
        usleep(100);
    }
}

int main(void) {
    pthread_t thread = spawn(worker);
    await(1);
    pthread_cancel(thread);
    use(data);  //~ race: data-race (with line 8)
    join(thread);
    return 0;
}
