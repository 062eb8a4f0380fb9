// CLEAN. The object is destroyed when the thread that calls it has been joined.
#include "../support.h"

struct Base {
    virtual void work() = 0;
    virtual ~Base() {}
};

struct Derived : Base {
    int done = 0;
    void work() override {
        done++;
    }
};

static Base *object;

static void caller() {
    object->work();
}

int main() {
    object = new Derived;
    join(spawn(caller));
    delete object;
    return 0;
}
