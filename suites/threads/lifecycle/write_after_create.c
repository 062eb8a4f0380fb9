// RACY. Main writes when the thread may already read.
#include "../support.h"

int data;

static void worker(void) {
    use(data);
}

int main(void) {
    pthread_t thread = spawn(worker);
    data = 1;  //~ race: data-race (with line 7)
    join(thread);
    return 0;
}
