// CLEAN. Each thread has a copy of a shared_ptr; the last one deletes.
#include "../support.h"
#include <memory>
#include <thread>

struct Object {
    int cells[4] = {1, 2, 3, 4};
};

int main() {
    auto object = std::make_shared<Object>();
    std::thread one([object]() mutable {
        use(object->cells[0]);
        object.reset();
    });
    std::thread other([copy = object]() mutable {
        use(copy->cells[1]);
        copy.reset();
    });
    object.reset();
    one.join();
    other.join();
    return 0;
}
