// CLEAN. Arguments that registers have no room for come through as they are; each thread prints to its own half.
#include "../support.h"

char text[2][200];
volatile double half = 0.5;

static void print(char *into) {
    int length = sprintf(into, "%d %d %d %d %d %d %.1f %.1f %.1f %.1f %.1f %.1f %.1f %.1f %.1f %.1f %s", 1, 2, 3, 4, 5, 6, half, half,
                         half, half, half, half, half, half, half, half, "end");
    CHECK(length == 55);
    CHECK(strcmp(into, "1 2 3 4 5 6 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 end") == 0);
}

static void one(void) {
    print(text[0]);
}

static void other(void) {
    print(text[1]);
}

int main(void) {
    run_both(one, other);
    return 0;
}
