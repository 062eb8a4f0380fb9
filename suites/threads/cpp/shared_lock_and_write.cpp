// RACY. Both threads write with a shared_lock.
#include "../support.h"
#include <mutex>
#include <shared_mutex>

static std::shared_mutex lock;
int cached;

static void one() {
    std::shared_lock<std::shared_mutex> guard(lock);
    cached = 1;
    reached(1);
    await(2);
}

static void other() {
    await(1);
    {
        std::shared_lock<std::shared_mutex> guard(lock);
        cached = 2;  //~ race: data-race (with line 11)
    }
    reached(2);
}

int main() {
    run_both(one, other);
    return 0;
}
