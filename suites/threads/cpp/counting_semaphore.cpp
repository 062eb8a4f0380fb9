// CLEAN. counting_semaphore hands items over, binary_semaphore locks.
//@ flags: -std=c++20
#include "../support.h"
#include <semaphore>
#include <thread>

static std::counting_semaphore<16> full(0);
static std::binary_semaphore lock(1);
int items[10];
int counter;

static void count() {
    lock.acquire();
    counter++;
    lock.release();
}

static void producer() {
    for (int i = 0; i < 10; i++) {
        items[i] = i;
        full.release();
        count();
    }
}

static void consumer() {
    for (int i = 0; i < 10; i++) {
        full.acquire();
        CHECK(items[i] == i);
        count();
    }
}

int main() {
    run_both(producer, consumer);
    CHECK(counter == 20);
    return 0;
}
