// CLEAN. std::mutex with lock_guard, unique_lock and scoped_lock.
#include "../support.h"
#include <mutex>

static std::mutex lock_a;
static std::mutex lock_b;
int counter;

static void worker() {
    for (int i = 0; i < 100; i++) {
        {
            std::lock_guard<std::mutex> guard(lock_a);
            counter++;
        }
        {
            std::unique_lock<std::mutex> guard(lock_a, std::defer_lock);
            guard.lock();
            counter++;
        }
        {
            std::scoped_lock both(lock_b, lock_a);
            counter++;
        }
    }
}

int main() {
    run_both(worker, worker);
    CHECK(counter == 600);
    return 0;
}
