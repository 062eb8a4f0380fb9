// CLEAN. A std::atomic<std::shared_ptr> is stored once, and loaded when it has been.
//@ flags: -std=c++20
#include "../support.h"
#include <atomic>
#include <memory>

static std::atomic<std::shared_ptr<int>> shared;

static void writer() {
    shared.store(std::make_shared<int>(42));
    reached(1);
}

static void reader() {
    await(1);
    std::shared_ptr<int> seen = shared.load();
    CHECK(*seen == 42);
}

int main() {
    run_both(writer, reader);
    return 0;
}
