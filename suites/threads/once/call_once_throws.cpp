// CLEAN. A call_once whose function throws is done again by the next thread, ordered after the first try.
#include "../support.h"
#include <mutex>
#include <stdexcept>

static std::once_flag once;
int tries;

static void user() {
    try {
        std::call_once(once, [] {
            if (++tries == 1) {
                throw std::runtime_error("not yet");
            }
        });
    } catch (const std::runtime_error &) {
        std::call_once(once, [] { ++tries; });
    }
}

int main() {
    join(spawn(user));
    join(spawn(user));
    CHECK(tries == 2);
    return 0;
}
