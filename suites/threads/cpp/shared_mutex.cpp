// CLEAN. shared_mutex with shared_lock for readers.
#include "../support.h"
#include <mutex>
#include <shared_mutex>

static std::shared_mutex lock;
int data;

static void reader() {
    for (int i = 0; i < 100; i++) {
        std::shared_lock<std::shared_mutex> guard(lock);
        use(data);
    }
}

static void writer() {
    for (int i = 0; i < 100; i++) {
        std::unique_lock<std::shared_mutex> guard(lock);
        data++;
    }
}

int main() {
    run_both(reader, writer);
    CHECK(data == 100);
    return 0;
}
