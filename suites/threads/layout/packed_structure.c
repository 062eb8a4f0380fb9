// RACY. Members of a packed structure are unaligned; the same member from two threads races.
#include "../support.h"

struct __attribute__((packed)) record {
    char kind;
    long value;
};

struct record records[3];

static void writer(void) {
    records[1].value = 1;
}

static void reader(void) {
    use(records[1].value);  //~ race: data-race (with line 12)
}

int main(void) {
    run_both(writer, reader);
    return 0;
}
