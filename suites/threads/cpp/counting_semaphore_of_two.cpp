// RACY. A counting_semaphore of two lets both threads in.
//@ flags: -std=c++20
#include "../support.h"
#include <semaphore>

static std::counting_semaphore<2> room(2);
int data;

static void one() {
    room.acquire();
    data = 1;
    reached(1);
    await(2);
    room.release();
}

static void other() {
    await(1);
    room.acquire();
    data = 2;  //~ race: data-race (with line 11)
    reached(2);
    room.release();
}

int main() {
    run_both(one, other);
    return 0;
}
