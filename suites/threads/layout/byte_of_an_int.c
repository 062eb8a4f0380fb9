// RACY. One thread writes an int, another one reads its third byte.
#include "../support.h"

union word {
    int whole;
    char bytes[4];
};

union word word;

static void writer(void) {
    word.whole = 1;
}

static void reader(void) {
    use(word.bytes[2]);  //~ race: data-race (with line 12)
}

int main(void) {
    run_both(writer, reader);
    return 0;
}
