// CLEAN. Two threads write neighbouring bytes, shorts and ints of one word.
#include "../support.h"

struct word {
    char a, b;
    short c;
    int d;
};

struct word words[2];

static void one(void) {
    words[0].a = 1;
    words[0].c = 2;
    words[1].d = 3;
}

static void other(void) {
    words[0].b = 4;
    words[0].d = 5;
    words[1].c = 6;
}

int main(void) {
    run_both(one, other);
    CHECK(words[0].a + words[0].b + words[0].c + words[0].d == 12);
    return 0;
}
