// RACY. A thread that left by arrive_and_drop is not ordered with what comes after.
//@ flags: -std=c++20
#include "../support.h"
#include <barrier>
#include <thread>

int data;

int main() {
    std::barrier barrier(2);
    std::jthread leaver([&barrier] {
        barrier.arrive_and_drop();
        data = 1;
    });
    barrier.arrive_and_wait();
    barrier.arrive_and_wait();
    data = 2;  //~ race: data-race (with line 13)
    leaver.join();
    return 0;
}
