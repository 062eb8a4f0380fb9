// CLEAN. Two threads count in a plain variable through atomic_ref.
//@ flags: -std=c++20
#include "../support.h"
#include <atomic>

int counter;

static void count() {
    for (int i = 0; i < 100; i++) {
        std::atomic_ref<int>(counter).fetch_add(1, std::memory_order_relaxed);
    }
}

int main() {
    run_both(count, count);
    CHECK(counter == 200);
    return 0;
}
