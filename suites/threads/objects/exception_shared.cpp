// RACY. Two threads rethrow one exception and write the same exception object.
#include "../support.h"
#include <exception>

struct Failure {
    int handled = 0;
};

static std::exception_ptr failure;

static void handler() {
    try {
        std::rethrow_exception(failure);
    } catch (Failure &caught) {
        caught.handled++;  //~ race: data-race (with itself)
    }
}

int main() {
    failure = std::make_exception_ptr(Failure());
    run_both(handler, handler);
    return 0;
}
