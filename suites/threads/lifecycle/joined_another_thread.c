// RACY. Main joins one thread and reads what another one wrote.
#include "../support.h"

int data;

static void writer(void) {
    data = 1;
    reached(1);
}

static void idle(void) {
    await(1);
}

int main(void) {
    pthread_t one = spawn(writer);
    pthread_t other = spawn(idle);
    join(other);
    use(data);  //~ race: data-race (with line 7)
    join(one);
    return 0;
}
