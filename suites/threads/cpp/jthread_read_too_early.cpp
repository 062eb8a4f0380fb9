// RACY. Main asks a jthread to stop, and reads before it has been joined.
//@ flags: -std=c++20
#include "../support.h"
#include <thread>

int data;

int main() {
    std::jthread thread([](std::stop_token token) {
        while (!token.stop_requested()) {
            std::this_thread::yield();
        }
        data = 1;
    });
    thread.request_stop();
    use(data);  //~ race: data-race (with line 13)
    return 0;
}
