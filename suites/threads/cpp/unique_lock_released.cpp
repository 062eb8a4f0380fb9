// RACY. A unique_lock is unlocked before the end of its scope.
#include "../support.h"
#include <mutex>

static std::mutex lock;
int data;

static void one() {
    std::unique_lock<std::mutex> guard(lock);
    guard.unlock();
    data = 1;
    reached(1);
}

static void other() {
    await(1);
    std::unique_lock<std::mutex> guard(lock);
    data = 2;  //~ race: data-race (with line 11)
}

int main() {
    run_both(one, other);
    return 0;
}
