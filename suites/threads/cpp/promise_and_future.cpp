// CLEAN. What was written before set_value is there after get.
#include "../support.h"
#include <future>
#include <thread>

int data;

int main() {
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread thread([&promise] {
        data = 41;
        promise.set_value(1);
    });
    CHECK(future.get() + data == 42);
    thread.join();
    return 0;
}
