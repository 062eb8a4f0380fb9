// CLEAN. The destructor of a jthread asks it to stop and joins it.
//@ flags: -std=c++20
#include "../support.h"
#include <thread>

int data;

int main() {
    {
        std::jthread thread([](std::stop_token token) {
            while (!token.stop_requested()) {
                data++;
                std::this_thread::yield();
            }
            data = -1;
        });
    }
    CHECK(data == -1);
    return 0;
}
