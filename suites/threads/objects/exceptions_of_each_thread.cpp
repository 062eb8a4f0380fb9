// CLEAN. Two threads throw and catch; locks are given back while the stack is unwound.
#include "../support.h"
#include <mutex>

static std::mutex lock;
int counter;

static void count(int i) {
    std::lock_guard<std::mutex> guard(lock);
    counter++;
    throw i;
}

static void worker() {
    for (int i = 0; i < 100; i++) {
        try {
            count(i);
        } catch (int value) {
            CHECK(value == i);
        }
    }
}

int main() {
    run_both(worker, worker);
    CHECK(counter == 200);
    return 0;
}
