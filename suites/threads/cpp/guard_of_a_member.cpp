// RACY. Every object has its own mutex, and the variable is static.
#include "../support.h"
#include <mutex>

struct Counter {
    std::mutex lock;
    static int total;
    void count() {
        std::lock_guard<std::mutex> guard(lock);
        total++;  //~ race: data-race (with itself)
    }
};

int Counter::total;
static Counter counters[2];

static void one() {
    counters[0].count();
}

static void other() {
    counters[1].count();
}

int main() {
    run_both(one, other);
    return 0;
}
