// RACY. A store of sixteen bytes races with a read of the last of them.
#include "../support.h"

typedef long pair __attribute__((vector_size(16)));

union word {
    pair whole;
    char bytes[16];
};

union word word;

static void writer(void) {
    word.whole = (pair){1, 2};
}

static void reader(void) {
    use(word.bytes[15]);  //~ race: data-race (with line 14)
}

int main(void) {
    run_both(writer, reader);
    return 0;
}
