// RACY. The first access of a thread races with one of a thread that ended before 300 others came and went.
#include "../support.h"

int data;
int other_data;

static void ended(void) {
    data = 1;
}

static void passer_by(void) {
    other_data++;
}

static void late(void) {
    await(1);
    data = 2;  //~ race: data-race (with line 8)
}

int main(void) {
    pthread_t second = spawn(late);
    join(spawn(ended));
    for (int i = 0; i < 300; i++) {
        join(spawn(passer_by));
    }
    reached(1);
    join(second);
    return 0;
}
