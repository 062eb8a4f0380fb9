// CLEAN. wait and notify_one of std::atomic; the wait acquires.
//@ flags: -std=c++20
#include "../support.h"
#include <atomic>

static std::atomic<int> ready{0};
int data;

static void writer() {
    data = 42;
    ready.store(1, std::memory_order_release);
    ready.notify_one();
}

static void reader() {
    ready.wait(0, std::memory_order_acquire);
    CHECK(data == 42);
}

int main() {
    run_both(writer, reader);
    return 0;
}
