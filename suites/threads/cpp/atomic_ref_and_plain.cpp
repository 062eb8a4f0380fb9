// RACY. One thread uses atomic_ref, the other one the variable itself.
//@ flags: -std=c++20
#include "../support.h"
#include <atomic>

int counter;

static void one() {
    std::atomic_ref<int>(counter).store(1, std::memory_order_release);
}

static void other() {
    use(counter);  //~ race: data-race (with line 9)
}

int main() {
    run_both(one, other);
    return 0;
}
