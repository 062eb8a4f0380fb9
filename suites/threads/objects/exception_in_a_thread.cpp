// CLEAN. An exception leaves a thread through a promise and is handled in main.
#include "../support.h"
#include <future>
#include <stdexcept>
#include <thread>

int main() {
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread thread([&promise] {
        try {
            throw 42;
        } catch (...) {
            promise.set_exception(std::current_exception());
        }
    });
    thread.join();
    int caught = 0;
    try {
        future.get();
    } catch (int value) {
        caught = value;
    }
    CHECK(caught == 42);
    return 0;
}
