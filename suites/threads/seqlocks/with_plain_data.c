// RACY. A seqlock over plain data: the reader reads first and checks afterwards, which is too late for the language.
#include "../support.h"
#include <stdatomic.h>

static atomic_uint sequence;
int data;

static void writer(void) {
    atomic_store(&sequence, 1);
    data = 42;
    reached(1);
    await(2);
    atomic_store(&sequence, 2);
}

static void reader(void) {
    unsigned before = atomic_load(&sequence);
    await(1);
    use(data);  //~ race: data-race (with line 10)
    reached(2);
    use(atomic_load(&sequence) == before);
}

int main(void) {
    run_both(writer, reader);
    return 0;
}
