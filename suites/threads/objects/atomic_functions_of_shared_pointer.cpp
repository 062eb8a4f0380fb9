// CLEAN. std::atomic_load and std::atomic_store of a shared_ptr.
#include "../support.h"
#include <memory>

static std::shared_ptr<int> shared;

static void writer() {
    for (int i = 0; i < 100; i++) {
        std::atomic_store(&shared, std::make_shared<int>(i));
    }
}

static void reader() {
    for (int i = 0; i < 100; i++) {
        std::shared_ptr<int> seen = std::atomic_load(&shared);
        CHECK(seen == nullptr || *seen < 100);
    }
}

int main() {
    run_both(writer, reader);
    return 0;
}
