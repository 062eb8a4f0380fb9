// CLEAN. Each lambda has captured a copy.
#include "../support.h"
#include <thread>

int main() {
    int sum = 5;
    std::thread one([sum]() mutable {
        sum += 1;
        CHECK(sum == 6);
    });
    std::thread other([sum]() mutable {
        sum += 2;
        CHECK(sum == 7);
    });
    one.join();
    other.join();
    CHECK(sum == 5);
    return 0;
}
