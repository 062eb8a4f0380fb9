// CLEAN. The C++ library is in the program, and with it the guards of variables that are initialised once.
//@ flags: -static-libstdc++ -static-libgcc
#include "../support.h"
#include <stdexcept>
#include <string>

static int tries;

struct value {
    long number;
    value() {
        // The first try fails, and the next thread that comes by tries again.
        if (tries++ == 0) {
            throw std::runtime_error("not yet");
        }
        number = 7;
    }
};

static void ask(void) {
    for (;;) {
        try {
            static value once;
            CHECK(once.number == 7);
            return;
        } catch (const std::runtime_error &error) {
            CHECK(std::string(error.what()) == "not yet");
        }
    }
}

int main() {
    run_both(ask, ask);
    CHECK(tries == 2);
    return 0;
}
