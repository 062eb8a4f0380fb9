// RACY. Main joins its child, and the child has not joined its own.
#include "../support.h"

int data;

static void grandchild(void) {
    data = 1;
    reached(1);
}

static void child(void) {
    pthread_detach(spawn(grandchild));
}

int main(void) {
    join(spawn(child));
    use(data);  //~ race: data-race (with line 7)
    await(1);
    return 0;
}
