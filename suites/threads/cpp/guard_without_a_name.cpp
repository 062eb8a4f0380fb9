// RACY. A guard without a name is gone at the end of its line.
#include "../support.h"
#include <mutex>

static std::mutex lock;
int data;

static void one() {
    std::lock_guard<std::mutex>{lock};
    data = 1;
    reached(1);
}

static void other() {
    await(1);
    std::lock_guard<std::mutex>{lock};
    data = 2;  //~ race: data-race (with line 10)
}

int main() {
    run_both(one, other);
    return 0;
}
