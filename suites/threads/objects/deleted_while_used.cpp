// RACY. One thread deletes an object whose member another one reads.
#include "../support.h"

struct Object {
    long cells[4] = {1, 2, 3, 4};
};

static Object *object;

static void reader() {
    use(object->cells[2]);
    reached(1);
}

static void deleter() {
    await(1);
    delete object;  //~ race: use-after-free (with line 11)
}

int main() {
    object = new Object;
    run_both(reader, deleter);
    return 0;
}
