// CLEAN. Who comes through a latch comes after every count_down.
//@ flags: -std=c++20
#include "../support.h"
#include <latch>
#include <thread>

int parts[2];

int main() {
    std::latch latch(2);
    std::jthread one([&latch] {
        parts[0] = 1;
        latch.count_down();
    });
    std::jthread other([&latch] {
        parts[1] = 2;
        latch.arrive_and_wait();
        CHECK(parts[0] == 1);
    });
    latch.wait();
    CHECK(parts[0] + parts[1] == 3);
    return 0;
}
