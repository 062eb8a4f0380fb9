// RACY. A try_wait that says no orders nothing.
//@ flags: -std=c++20
#include "../support.h"
#include <latch>
#include <thread>

int part;

int main() {
    std::latch latch(2);
    std::jthread thread([&latch] {
        part = 1;
        latch.count_down();
        reached(1);
    });
    await(1);
    CHECK(!latch.try_wait());
    part = 2;  //~ race: data-race (with line 12)
    thread.join();
    return 0;
}
