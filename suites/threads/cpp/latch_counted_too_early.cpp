// RACY. A thread counts down before it writes.
//@ flags: -std=c++20
#include "../support.h"
#include <latch>
#include <thread>

int part;

int main() {
    std::latch latch(1);
    std::jthread thread([&latch] {
        latch.count_down();
        part = 1;
    });
    latch.wait();
    use(part);  //~ race: data-race (with line 13)
    thread.join();
    return 0;
}
