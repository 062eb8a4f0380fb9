// CLEAN. condition_variable and condition_variable_any with predicates.
#include "../support.h"
#include <chrono>
#include <condition_variable>
#include <mutex>

static std::mutex lock;
static std::condition_variable changed;
static std::condition_variable_any changed_any;
int stage;
int data;

static void writer() {
    data = 42;
    {
        std::lock_guard<std::mutex> guard(lock);
        stage = 1;
    }
    changed.notify_one();
    std::unique_lock<std::mutex> guard(lock);
    changed_any.wait(guard, [] { return stage == 2; });
    CHECK(data == 43);
}

static void reader() {
    {
        std::unique_lock<std::mutex> guard(lock);
        CHECK(changed.wait_for(guard, std::chrono::seconds(100), [] { return stage == 1; }));
    }
    CHECK(data == 42);
    data = 43;
    {
        std::lock_guard<std::mutex> guard(lock);
        stage = 2;
    }
    changed_any.notify_all();
}

int main() {
    run_both(writer, reader);
    return 0;
}
