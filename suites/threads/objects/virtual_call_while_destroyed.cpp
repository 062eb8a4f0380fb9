// RACY. The destructor of the base class changes the pointer to the virtual table that a virtual call reads.
#include "../support.h"
#include <new>

struct Base {
    virtual void work() {}
    __attribute__((noinline)) virtual ~Base() {
        __asm__ volatile("" : : "r"(this) : "memory");
    }
};

struct Derived : Base {
    int done = 0;
    void work() override {
        use(1);
    }
    __attribute__((noinline)) ~Derived() override {
        reached(1);
        await(2);
    }
};

alignas(Derived) static unsigned char storage[sizeof(Derived)];
static Base *object;

static void destroyer() {
    object->~Base();
}

static void caller() {
    Base *theirs = object;
    await(1);
    theirs->work();  //~ race: data-race (with line 7)
    reached(2);
}

int main() {
    object = new (storage) Derived;
    run_both(destroyer, caller);
    return 0;
}
