// RACY. A detached std::thread, and nothing but a relaxed flag.
#include "../support.h"
#include <atomic>
#include <thread>

static std::atomic<bool> done{false};
int data;

int main() {
    std::thread([] {
        data = 1;
        done.store(true, std::memory_order_relaxed);
    }).detach();
    while (!done.load(std::memory_order_relaxed)) {
        std::this_thread::yield();
    }
    use(data);  //~ race: data-race (with line 11)
    return 0;
}
