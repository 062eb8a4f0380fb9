// RACY. Of a hundred reads of one cell, the only one that is not ordered before the write is the first.
#include "../support.h"

int data;

static void first_reader(void) {
    use(data);
    reached(1);
}

static void reader(void) {
    use(data);
}

int main(void) {
    pthread_t first = spawn(first_reader);
    await(1);
    for (int i = 0; i < 100; i++) {
        join(spawn(reader));
    }
    data = 1;  //~ race: data-race (with line 7)
    join(first);
    return 0;
}
