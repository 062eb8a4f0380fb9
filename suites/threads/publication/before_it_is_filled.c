// RACY. The pointer is released before the object is filled.
#include "../support.h"
#include <stdatomic.h>

struct object {
    int a, b;
};

static struct object the_object;
static _Atomic(struct object *) published;

static void writer(void) {
    the_object.a = 1;
    atomic_store_explicit(&published, &the_object, memory_order_release);
    the_object.b = 2;
}

static void reader(void) {
    struct object *seen;
    while ((seen = atomic_load_explicit(&published, memory_order_acquire)) == NULL) {
        sched_yield();
    }
    CHECK(seen->a == 1);
    use(seen->b);  //~ race: data-race (with line 15)
}

int main(void) {
    run_both(writer, reader);
    return 0;
}
