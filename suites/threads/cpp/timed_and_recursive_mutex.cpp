// CLEAN. recursive_mutex, timed_mutex and try_lock.
#include "../support.h"
#include <chrono>
#include <mutex>

static std::recursive_mutex recursive;
static std::timed_mutex timed;
int counters[2];

static void worker() {
    for (int i = 0; i < 100; i++) {
        {
            std::lock_guard<std::recursive_mutex> outer(recursive);
            std::lock_guard<std::recursive_mutex> inner(recursive);
            counters[0]++;
        }
        CHECK(timed.try_lock_for(std::chrono::seconds(100)));
        counters[1]++;
        timed.unlock();
        while (!timed.try_lock()) {
            sched_yield();
        }
        counters[1]++;
        timed.unlock();
    }
}

int main() {
    run_both(worker, worker);
    CHECK(counters[0] == 200 && counters[1] == 400);
    return 0;
}
