// RACY. Two threads use one shared_ptr object: the count is atomic, the pointer is not.
#include "../support.h"
#include <memory>

static std::shared_ptr<int> shared;

static void swapper() {
    int *raw = shared.get();
    use(reinterpret_cast<long>(raw));
    reached(1);
}

static void resetter() {
    std::shared_ptr<int> fresh = std::make_shared<int>(2);
    await(1);
    shared.swap(fresh);  //~ race: data-race (with line 8)
    new std::shared_ptr<int>(fresh);
}

int main() {
    shared = std::make_shared<int>(1);
    run_both(swapper, resetter);
    return 0;
}
