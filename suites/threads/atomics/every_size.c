// CLEAN. Release and acquire on atomics of one, two, four, eight and sixteen bytes.
//@ flags: -mcx16
//@ libs: -latomic
#include "../support.h"

unsigned char flag_1;
unsigned short flag_2;
unsigned flag_4;
unsigned long flag_8;
__attribute__((aligned(16))) unsigned __int128 flag_16;
int data[5];

static void writer(void) {
    data[0] = 1;
    __atomic_store_n(&flag_1, 1, __ATOMIC_RELEASE);
    data[1] = 1;
    __atomic_store_n(&flag_2, 1, __ATOMIC_RELEASE);
    data[2] = 1;
    __atomic_store_n(&flag_4, 1, __ATOMIC_RELEASE);
    data[3] = 1;
    __atomic_store_n(&flag_8, 1, __ATOMIC_RELEASE);
    data[4] = 1;
    __atomic_store_n(&flag_16, 1, __ATOMIC_RELEASE);
}

static void reader(void) {
    while (!__atomic_load_n(&flag_1, __ATOMIC_ACQUIRE)) {
        sched_yield();
    }
    CHECK(data[0] == 1);
    while (!__atomic_load_n(&flag_2, __ATOMIC_ACQUIRE)) {
        sched_yield();
    }
    CHECK(data[1] == 1);
    while (!__atomic_load_n(&flag_4, __ATOMIC_ACQUIRE)) {
        sched_yield();
    }
    CHECK(data[2] == 1);
    while (!__atomic_load_n(&flag_8, __ATOMIC_ACQUIRE)) {
        sched_yield();
    }
    CHECK(data[3] == 1);
    while (!__atomic_load_n(&flag_16, __ATOMIC_ACQUIRE)) {
        sched_yield();
    }
    CHECK(data[4] == 1);
}

int main(void) {
    run_both(writer, reader);
    return 0;
}
